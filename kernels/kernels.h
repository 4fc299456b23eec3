// SPDX-License-Identifier: Apache-2.0
//
// What a target provides: its functions over operands that have been checked.

#ifndef NORMD_KERNELS_H_
#define NORMD_KERNELS_H_

#include <cstddef>
#include <cstdint>

namespace normd {

// One layer_norm over checked rows. Strides are in bytes, addresses have any alignment.
struct LayerNormCall {
  int64_t rows;
  int64_t hidden;
  const std::byte* x;
  int64_t x_stride;
  std::byte* y;
  int64_t y_stride;
  const float* gamma;  // [hidden], or null
  const float* beta;   // [hidden], or null
  float epsilon;
  float* mean;  // [rows], or null
  float* rstd;  // [rows], or null
};

// The functions of one target. They run in the default floating-point environment (FloatEnvironment).
struct Kernels {
  void (*layer_norm)(const LayerNormCall& call) noexcept;
};

}  // namespace normd

#endif  // NORMD_KERNELS_H_
