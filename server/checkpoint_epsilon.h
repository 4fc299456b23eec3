// SPDX-License-Identifier: Apache-2.0
//
// What a checkpoint says of its epsilon.

#ifndef NORMD_SERVER_CHECKPOINT_EPSILON_H_
#define NORMD_SERVER_CHECKPOINT_EPSILON_H_

#include <map>
#include <optional>
#include <string>

#include "absl/status/statusor.h"

namespace normd {

// None where the checkpoint is silent.
struct CheckpointEpsilons {
  std::optional<double> layer_norm;  // layer_norm_eps, or layer_norm_epsilon
  std::optional<double> rms_norm;    // rms_norm_eps
};

// Looks into the config.json that lies beside the checkpoint `path`, where there is one, and then into
// `metadata`, the checkpoint's own, for what that did not say. Errors: the system's own where config.json is
// there and cannot be read; InvalidArgument that names the file and the key for text that is not a JSON
// object, and for a value that is no number, negative, or beyond float32.
absl::StatusOr<CheckpointEpsilons> ReadEpsilons(
    const std::string& path, const std::map<std::string, std::string, std::less<>>& metadata);

}  // namespace normd

#endif  // NORMD_SERVER_CHECKPOINT_EPSILON_H_
