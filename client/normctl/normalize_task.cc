// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "normalize.h"
#include "rows.h"

namespace normd {
namespace {

absl::Status Invalid(const std::string& text) { return absl::InvalidArgumentError(text); }

// NORMCTL_ADDRESS stands in for a missing address.
absl::Status TakeAddress(const NormalizeFlags& flags, std::vector<std::string>& arguments,
                         NormalizeTask& task) {
  const size_t files = flags.values.empty() ? 2 : 0;
  const char* address = std::getenv("NORMCTL_ADDRESS");
  if (!flags.local && arguments.size() == files && address != nullptr)
    arguments.insert(arguments.begin(), address);
  const size_t expected = files + (flags.local ? 0 : 1);
  if (arguments.size() != expected) {
    const char* wanted = flags.local
                             ? (files > 0 ? "IN.npy OUT.npy with --local" : "no others with --local --values")
                             : (files > 0 ? "ADDRESS IN.npy OUT.npy" : "ADDRESS with --values");
    return Invalid(
        absl::StrCat("got ", arguments.size(), " positional arguments; expected ", expected, ": ", wanted));
  }
  if (flags.local) return absl::OkStatus();
  task.address = arguments.front();
  arguments.erase(arguments.begin());
  return absl::OkStatus();
}

absl::Status TakeValues(const NormalizeFlags& flags, NormalizeTask& task) {
  auto rows = ParseRows(flags.values, flags.hidden);
  if (!rows.ok()) return rows.status();
  task.hidden = rows->hidden;
  task.tokens.shape = {static_cast<int64_t>(rows->tokens.size()) / rows->hidden, rows->hidden};
  task.tokens.values = std::move(rows->tokens);
  return absl::OkStatus();
}

absl::Status TakeFile(const NormalizeFlags& flags, const std::string& input, NormalizeTask& task) {
  auto array = ReadNpy(input);
  if (!array.ok()) return array.status();
  task.hidden = array->shape.back();
  task.tokens = *std::move(array);
  if (flags.hidden == 0 || flags.hidden == task.hidden) return absl::OkStatus();
  return Invalid(absl::StrCat("--hidden is ", flags.hidden, "; ", absl::CHexEscape(input),
                              " has a last dimension of ", task.hidden));
}

// A layer has its own epsilon, so that naming both would leave one of them unused.
absl::Status TakeLayer(const NormalizeFlags& flags, NormalizeTask& task) {
  if (flags.epsilon && !flags.layer.empty())
    return Invalid("--layer and --epsilon were both given; expected one");
  if (flags.local && !flags.layer.empty() && flags.layer != "layer_norm") {
    return Invalid(absl::StrCat("--local computes layer_norm; got --layer ", absl::CHexEscape(flags.layer)));
  }
  if (!flags.local && !flags.target.empty())
    return Invalid("--target goes with --local; a server chose its own");
  task.epsilon = flags.epsilon.value_or(task.epsilon);
  task.layer = flags.epsilon ? "" : flags.layer.empty() ? "layer_norm" : flags.layer;
  task.target = flags.target;
  return absl::OkStatus();
}

// A server says this for itself; in this process nobody else does.
absl::Status CheckCounts(const NormalizeTask& task) {
  const int64_t rows = task.hidden == 0 ? 0 : static_cast<int64_t>(task.tokens.values.size()) / task.hidden;
  int64_t left = rows;
  for (const int64_t count : task.token_counts) {
    if (count > left)
      return Invalid(absl::StrCat("--token-counts add up to more than the ", rows, " rows there are"));
    left -= count;
  }
  if (task.token_counts.empty() || left == 0) return absl::OkStatus();
  return Invalid(
      absl::StrCat("--token-counts add up to ", rows - left, "; expected the ", rows, " rows there are"));
}

}  // namespace

absl::StatusOr<NormalizeTask> MakeTask(const NormalizeFlags& flags) {
  NormalizeTask task;
  std::vector<std::string> arguments = flags.arguments;
  if (absl::Status status = TakeAddress(flags, arguments, task); !status.ok()) return status;
  if (absl::Status status = TakeLayer(flags, task); !status.ok()) return status;
  const absl::Status tokens =
      arguments.empty() ? TakeValues(flags, task) : TakeFile(flags, arguments[0], task);
  if (!tokens.ok()) return tokens;
  if (!arguments.empty()) task.output = arguments[1];
  auto counts = ParseTokenCounts(flags.token_counts);
  if (!counts.ok()) return counts.status();
  task.token_counts = *std::move(counts);
  if (absl::Status status = CheckCounts(task); !status.ok()) return status;
  return task;
}

}  // namespace normd
