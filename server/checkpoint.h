// SPDX-License-Identifier: Apache-2.0
//
// The norm layers of a checkpoint.

#ifndef NORMD_SERVER_CHECKPOINT_H_
#define NORMD_SERVER_CHECKPOINT_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "layer.h"

namespace normd {

// Finds every norm layer of the safetensors file `path` and reads its parameters; of the rest of the file
// nothing but the header is read. Layers come in the order of their names, NAME/STEM.
//
// A norm layer is a tensor STEM.weight or STEM.gamma with one dimension, of F32, F16 or BF16, where the last
// part of STEM holds "norm", or is "ln" or begins with "ln_" or "ln" and a digit, whatever the case of its
// letters. Beta is STEM.bias or STEM.beta. A STEM with a running_mean is a batch norm, and is left out with a
// note in the log.
//
// Kind:    layer_norm, but rms_norm where there is no beta and the checkpoint gives an rms_norm_eps.
// Epsilon: config.json's beside the file, else the file's metadata's, else 1e-5 with a warning in the log.
// Errors:  InvalidArgument for a name that is not [A-Za-z0-9_.-]+, beta of another length than gamma, a file
// without
//          norm layers, and all that SafetensorsFile and ReadEpsilons refuse; the text names file, expected
//          and got.
absl::StatusOr<std::vector<Layer>> LoadCheckpoint(std::string_view name, const std::string& path);

}  // namespace normd

#endif  // NORMD_SERVER_CHECKPOINT_H_
