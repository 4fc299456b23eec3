// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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
  task.security = flags.security;
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

bool HasParameters(const NormalizeFlags& flags) {
  return !flags.kind.empty() || flags.epsilon.has_value() || flags.gamma_offset.has_value();
}

// A layer has its own parameters, so that giving both would leave some of them unused.
absl::Status CheckLayer(const NormalizeFlags& flags) {
  if (flags.layer.empty()) return absl::OkStatus();
  if (HasParameters(flags)) {
    const char* given = flags.epsilon ? "--epsilon" : flags.gamma_offset ? "--gamma-offset" : "--kind";
    return Invalid(absl::StrCat("--layer and ", given, " were both given; expected one"));
  }
  if (flags.local && flags.layer != "layer_norm" && flags.layer != "rms_norm") {
    return Invalid(absl::StrCat("--local computes layer_norm and rms_norm; got --layer ",
                                absl::CHexEscape(flags.layer)));
  }
  return absl::OkStatus();
}

absl::Status TakeLayer(const NormalizeFlags& flags, NormalizeTask& task) {
  if (absl::Status status = CheckLayer(flags); !status.ok()) return status;
  if (!flags.local && !flags.target.empty())
    return Invalid("--target goes with --local; a server chose its own");
  const bool rms = flags.kind == "rms_norm" || flags.layer == "rms_norm";
  task.kind = rms ? NormKind::kRmsNorm : NormKind::kLayerNorm;
  task.epsilon = flags.epsilon.value_or(task.epsilon);
  task.gamma_offset = flags.gamma_offset.value_or(task.gamma_offset);
  task.layer = HasParameters(flags) ? "" : flags.layer.empty() ? "layer_norm" : flags.layer;
  task.target = flags.target;
  return absl::OkStatus();
}

// That of the file unless another is named.
void TakeDataType(const NormalizeFlags& flags, NormalizeTask& task) {
  task.data_type = task.tokens.data_type;
  if (flags.data_type == "float32") task.data_type = DataType::kFloat32;
  if (flags.data_type == "float16") task.data_type = DataType::kFloat16;
  if (flags.data_type == "bfloat16") task.data_type = DataType::kBfloat16;
  // NumPy has no bfloat16; float32 holds each of its values.
  const bool half = task.data_type == DataType::kFloat16;
  task.tokens.data_type = half ? DataType::kFloat16 : DataType::kFloat32;
}

absl::Status TakeResidual(const NormalizeFlags& flags, NormalizeTask& task) {
  if (flags.residual.empty()) {
    return flags.residual_sum.empty() ? absl::OkStatus() : Invalid("--residual-sum goes with --residual");
  }
  auto array = ReadNpy(flags.residual);
  if (!array.ok()) return array.status();
  if (array->shape != task.tokens.shape) {
    return Invalid(absl::StrCat(absl::CHexEscape(flags.residual), " has shape (",
                                absl::StrJoin(array->shape, ", "), "); expected (",
                                absl::StrJoin(task.tokens.shape, ", "), ") as the tokens have"));
  }
  task.residual = std::move(array->values);
  task.residual_sum_output = flags.residual_sum;
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
  TakeDataType(flags, task);
  if (absl::Status status = TakeResidual(flags, task); !status.ok()) return status;
  auto counts = ParseTokenCounts(flags.token_counts);
  if (!counts.ok()) return counts.status();
  task.token_counts = *std::move(counts);
  if (absl::Status status = CheckCounts(task); !status.ok()) return status;
  return task;
}

}  // namespace normd
