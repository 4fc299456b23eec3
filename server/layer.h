// SPDX-License-Identifier: Apache-2.0
//
// A layer as it is named by requests and listed to clients.

#ifndef NORMD_SERVER_LAYER_H_
#define NORMD_SERVER_LAYER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "normd/norm.h"

namespace normd {

// NormKind and DataType are numbered as in normd.v1, so that one becomes the other by a cast.
struct Layer {
  std::string name;
  NormKind kind = NormKind::kLayerNorm;
  int64_t hidden = 0;                            // 0: any, as the built-in layers have it
  double epsilon = 1e-5;                         // as stated; rounded to float32 where it is used
  std::vector<float> gamma;                      // [hidden], or empty for 1
  std::vector<float> beta;                       // [hidden], or empty for 0
  DataType parameter_type = DataType::kFloat32;  // how gamma and beta are stored
  std::string checkpoint;                        // its name; empty for a built-in layer
};

}  // namespace normd

#endif  // NORMD_SERVER_LAYER_H_
