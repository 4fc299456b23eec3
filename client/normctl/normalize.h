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
#include "npy.h"

namespace normd {

struct NormalizeFlags {
  std::vector<std::string> arguments;  // [ADDRESS] [IN OUT]
  std::string values;
  bool local = false;
  std::string target;
  std::string layer;
  std::optional<double> epsilon;
  int64_t hidden = 0;
  std::string token_counts;
  bool json = false;
};

// The same, checked and with its tokens read.
struct NormalizeTask {
  std::string address;  // empty: in this process
  std::string target;   // empty: the best
  std::string output;   // the .npy file, or empty for stdout
  std::string layer;    // empty: `epsilon`
  double epsilon = 1e-5;
  int64_t hidden = 0;
  NpyArray tokens;
  std::vector<int64_t> token_counts;
};

// Errors: InvalidArgument that says which arguments do not go together; those of ReadNpy and ParseRows.
absl::StatusOr<NormalizeTask> MakeTask(const NormalizeFlags& flags);

// Who did the work, and with what result.
struct NormalizeOutcome {
  std::string where;  // "in this process, target avx512"
  Normalized result;
};

// Errors: those of Norm::Create, or of Client::Connect and Client::Normalize.
absl::StatusOr<NormalizeOutcome> NormalizeLocally(const NormalizeTask& task);
absl::StatusOr<NormalizeOutcome> NormalizeRemotely(const NormalizeTask& task);

// Each row's mean, sigma = sqrt(variance + epsilon) and values.
std::string OutcomeText(const NormalizeOutcome& outcome);
std::string OutcomeJson(const NormalizeOutcome& outcome, bool with_tokens);

}  // namespace normd

#endif  // NORMD_NORMCTL_NORMALIZE_H_
