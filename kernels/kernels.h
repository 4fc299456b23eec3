// SPDX-License-Identifier: Apache-2.0
//
// What a target provides: its functions over operands that have been checked.

#ifndef NORMD_KERNELS_H_
#define NORMD_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>

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
  bool streaming;  // whether y goes past the caches

  // Rows [first, first + count) of this call.
  NormCall Slice(int64_t first, int64_t count) const {
    NormCall slice = *this;
    slice.rows = count;
    const auto advance = [first](auto& stream) {
      if (stream.data != nullptr) stream.data = stream.Row(first);
    };
    advance(slice.x);
    advance(slice.residual);
    advance(slice.y);
    advance(slice.residual_sum);
    for (float** statistic : {&slice.mean, &slice.rstd}) *statistic += *statistic != nullptr ? first : 0;
    for (const float** statistic : {&slice.given_mean, &slice.given_rstd}) {
      *statistic += *statistic != nullptr ? first : 0;
    }
    return slice;
  }
};

// What is computed: a kind, and where its statistics come from.
enum class Formula : int { kLayer, kRms, kGivenLayer, kGivenRms, kBatch };
inline constexpr int kFormulas = 5;
inline constexpr int kDataTypes = 3;
inline constexpr int kFloat16Type = 1;  // among them

// The functions of one target, by formula and DataType - 1. They run in the default floating-point
// environment (FloatEnvironment).
using KernelFunction = void (*)(const NormCall& call) noexcept;
struct Kernels {
  KernelFunction functions[kFormulas][kDataTypes];
};

}  // namespace normd

#endif  // NORMD_KERNELS_H_
