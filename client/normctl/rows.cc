// SPDX-License-Identifier: Apache-2.0
#include "rows.h"

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace normd {
namespace {

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

absl::Status NotANumber(absl::string_view text, absl::string_view expected) {
  return absl::InvalidArgumentError(
      absl::StrCat("\"", absl::CHexEscape(text.substr(0, 40)), "\" is not ", expected));
}

absl::Status AppendRow(absl::string_view text, std::vector<float>* tokens) {
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    if (!absl::SimpleAtof(part, &tokens->emplace_back())) return NotANumber(part, "a number");
  }
  return absl::OkStatus();
}

absl::Status Unequal(size_t row, int64_t got, int64_t expected) {
  return absl::InvalidArgumentError(
      absl::StrCat("row ", row, " has ", got, " values; expected ", expected, " as in the first"));
}

absl::StatusOr<Rows> SplitInto(Rows rows, int64_t hidden) {
  const auto values = static_cast<int64_t>(rows.tokens.size());
  if (values % hidden != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(values, " values are no whole number of rows of --hidden ", hidden));
  }
  rows.hidden = hidden;
  return rows;
}

}  // namespace

absl::StatusOr<Rows> ParseRows(std::string_view text, int64_t hidden) {
  Rows rows;
  size_t row = 0;
  for (const absl::string_view part : absl::StrSplit(View(text), ';')) {
    const size_t before = rows.tokens.size();
    if (absl::Status status = AppendRow(part, &rows.tokens); !status.ok()) return status;
    const auto length = static_cast<int64_t>(rows.tokens.size() - before);
    if (row++ == 0) rows.hidden = length;
    if (length != rows.hidden) return Unequal(row, length, rows.hidden);
  }
  if (hidden == 0) return rows;
  if (row == 1) return SplitInto(std::move(rows), hidden);
  if (rows.hidden == hidden) return rows;
  return absl::InvalidArgumentError(
      absl::StrCat("rows have ", rows.hidden, " values; --hidden says ", hidden));
}

absl::StatusOr<std::vector<int64_t>> ParseTokenCounts(std::string_view text) {
  std::vector<int64_t> counts;
  if (text.empty()) return counts;
  for (const absl::string_view part : absl::StrSplit(View(text), ',')) {
    if (!absl::SimpleAtoi(part, &counts.emplace_back()) || counts.back() < 0) {
      return NotANumber(part, "a whole number of tokens");
    }
  }
  return counts;
}

}  // namespace normd
