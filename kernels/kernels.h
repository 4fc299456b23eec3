// SPDX-License-Identifier: Apache-2.0
//
// What a target provides: its functions over operands that have been checked.

#ifndef NORMD_KERNELS_H_
#define NORMD_KERNELS_H_

#include <cstddef>
#include <cstdint>

namespace normd {

// Rows of one operand: the first byte, and bytes from one row to the next. Null where the operand is absent.
struct InputStream {
  const std::byte* data;
  int64_t stride;
  const std::byte* Row(int64_t row) const { return data + row * stride; }
};
struct OutputStream {
  std::byte* data;
  int64_t stride;
  std::byte* Row(int64_t row) const { return data + row * stride; }
};

// One norm over checked rows. Addresses have any alignment.
struct NormCall {
  int64_t rows;
  int64_t hidden;
  InputStream x;
  InputStream residual;
  OutputStream y;
  OutputStream residual_sum;
  const float* gamma;          // [hidden], or null
  const float* beta;           // [hidden], or null
  const float* feature_mean;   // [hidden]; batch_norm alone
  const float* feature_var;    // [hidden]; batch_norm alone
  const float* feature_scale;  // [hidden], gamma / sqrt(feature_var + epsilon); batch_norm alone
  const float* given_mean;     // [rows]; Formula::kGivenLayer alone
  const float* given_rstd;     // [rows]; Formula::kGivenLayer and kGivenRms alone
  float* mean;                 // [rows], or null
  float* rstd;                 // [rows], or null
  double inverse_hidden;       // 1 / hidden
  float epsilon;
  bool far;        // whether the call moves more than the second-level cache holds
  bool streaming;  // whether y and residual_sum go past the caches
};

// What is computed: a kind, and where its statistics come from.
enum class Formula : int { kLayer, kRms, kGivenLayer, kGivenRms, kBatch };
inline constexpr int kFormulas = 5;
inline constexpr int kDataTypes = 3;

// The functions of one target, by formula and DataType - 1. They run in the default floating-point
// environment (FloatEnvironment).
using KernelFunction = void (*)(const NormCall& call) noexcept;
struct Kernels {
  KernelFunction functions[kFormulas][kDataTypes];
};

}  // namespace normd

#endif  // NORMD_KERNELS_H_
