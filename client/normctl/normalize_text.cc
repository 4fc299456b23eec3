// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "normalize.h"
#include "text.h"

namespace normd {
namespace {

std::string StatisticsText(const Normalized& result, size_t row) {
  const double sigma = 1.0 / static_cast<double>(result.rstd[row]);
  if (result.mean.empty()) return absl::StrFormat("rms    %.5g\n", sigma);
  return absl::StrFormat("mean   %.5g\nsigma  %.5g\n", result.mean[row], sigma);
}

std::string RowText(const Normalized& result, size_t row) {
  std::string text = StatisticsText(result, row) + "y     ";
  const auto hidden = static_cast<size_t>(result.hidden);
  for (size_t i = 0; i < hidden; ++i) absl::StrAppend(&text, " ", ValueText(result.tokens[row * hidden + i]));
  return text + "\n";
}

// Which sequence a row belongs to, and where it stands in it; said where there is more than one row.
std::string RowTitle(size_t sequence, int64_t token) {
  return absl::StrCat("\nsequence ", sequence, ", token ", token, "\n");
}

}  // namespace

std::string OutcomeText(const NormalizeOutcome& outcome) {
  const Normalized& result = outcome.result;
  std::string text;
  size_t row = 0;
  for (size_t sequence = 0; sequence < result.token_counts.size(); ++sequence) {
    for (int64_t token = 0; token < result.token_counts[sequence]; ++token) {
      if (result.rstd.size() > 1) text += RowTitle(sequence, token);
      text += RowText(result, row++);
    }
  }
  return text;
}

std::string OutcomeJson(const NormalizeOutcome& outcome, bool with_tokens) {
  const Normalized& result = outcome.result;
  nlohmann::ordered_json json = {{"where", outcome.where},
                                 {"rows", result.rstd.size()},
                                 {"hidden", result.hidden},
                                 {"token_counts", result.token_counts}};
  if (!result.mean.empty()) json["mean"] = result.mean;
  json["rstd"] = result.rstd;
  if (with_tokens) json["tokens"] = result.tokens;
  return json.dump(2) + "\n";
}

}  // namespace normd
