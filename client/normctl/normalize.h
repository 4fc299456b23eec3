// SPDX-License-Identifier: Apache-2.0
//
// What `normctl normalize` was asked for, and its answers as text and JSON.

#ifndef NORMD_NORMCTL_NORMALIZE_H_
#define NORMD_NORMCTL_NORMALIZE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "normd/client.h"
#include "normd/types.h"
#include "npy.h"

namespace normd {

struct NormalizeFlags {
  std::vector<std::string> arguments;  // [ADDRESS] [IN OUT]
  Security security;
  std::string values;
  bool local = false;
  std::string target;
  std::string layer;
  std::string kind;
  std::optional<double> epsilon;
  std::optional<float> gamma_offset;
  std::string data_type;
  std::string residual;
  std::string residual_sum;
  int64_t hidden = 0;
  std::string token_counts;
  bool json = false;
};

// The same, checked and with its tokens read.
struct NormalizeTask {
  std::string address;  // empty: in this process
  Security security;
  std::string target;  // empty: the best
  std::string output;  // the .npy file, or empty for stdout
  std::string layer;   // empty: the three below
  NormKind kind = NormKind::kLayerNorm;
  double epsilon = 1e-5;
  float gamma_offset = 0;
  int64_t hidden = 0;
  DataType data_type = DataType::kFloat32;  // in which it is computed
  NpyArray tokens;
  std::vector<float> residual;      // as many, or none
  std::string residual_sum_output;  // the .npy file, or empty where it is not wanted
  std::vector<int64_t> token_counts;
};

// Errors: InvalidArgument that says which arguments do not go together; those of ReadNpy and ParseRows.
absl::StatusOr<NormalizeTask> MakeTask(const NormalizeFlags& flags);

// Who did the work, and with what result.
struct NormalizeOutcome {
  std::string where;  // "in this process, target avx512"
  Normalized result;  // its tokens and residual_sum as floats, whatever they were computed in
};

// Errors: those of Norm::Create, or of Client::Connect and Client::Normalize.
absl::StatusOr<NormalizeOutcome> NormalizeLocally(const NormalizeTask& task);
absl::StatusOr<NormalizeOutcome> NormalizeRemotely(const NormalizeTask& task);

// Each row's mean and sigma = sqrt(variance + epsilon), or its rms where it has no mean, and values.
std::string OutcomeText(const NormalizeOutcome& outcome);
std::string OutcomeJson(const NormalizeOutcome& outcome, bool with_tokens);

}  // namespace normd

#endif  // NORMD_NORMCTL_NORMALIZE_H_
