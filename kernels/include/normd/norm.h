// SPDX-License-Identifier: Apache-2.0
//
// Layer normalization of token rows.
//
//   y[r][i] = gamma[i] * (x[r][i] - mean[r]) / sqrt(var[r] + epsilon) + beta[i]
//   mean[r] = sum_i x[r][i] / hidden;   var[r] = sum_i (x[r][i] - mean[r])^2 / hidden
//
// as in Ba, Kiros and Hinton, "Layer Normalization" (arXiv:1607.06450), with the population variance.
//
// Shapes:    x, y: [rows, hidden], row-major, `*_stride` values from one row to the next;
//            gamma, beta: [hidden] or absent.
//
// Accuracy:  for every finite row, with xhat the row before gamma and beta,
//            |y[i] - exact| <= 8 * 2^-23 * |gamma[i]| * max_j |xhat[j]| + 1 ULP of y[i] + 2^-149
//            (tests/kernels/accuracy_test.cc; the worst row found is 4.14 of those 8).
//
// Bits:      the same on every target, at any batch size, row position, alignment and number of threads,
//            and under any rounding mode or flush-to-zero of the caller's, whose own setting is kept.
//
// Bad rows:  a row with NaN or infinity is NaN (0x7FC00000) in each element, mean and rstd; no other row
//            is touched.
//
// Constant:  a row of equal values is exactly beta, also with epsilon 0.

#ifndef NORMD_NORM_H_
#define NORMD_NORM_H_

#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "normd/target.h"

namespace normd {

// Rises whenever any output bit changes: two builds with the same number give the same bits.
inline constexpr int kNumericsRevision = 1;

struct LayerNormParameters {
  int64_t hidden = 0;            // values a row, at least 1
  std::span<const float> gamma;  // [hidden], or empty for 1
  std::span<const float> beta;   // [hidden], or empty for 0
  double epsilon = 1e-5;         // finite and not negative; rounded once to float32
};

// The rows of one call. Addresses may have any alignment, odd ones among them.
struct NormOperands {
  int64_t rows = 0;
  const void* x = nullptr;  // float32 [rows, hidden]
  int64_t x_stride = 0;     // values from one row of x to the next; 0: hidden
  void* y = nullptr;        // float32 [rows, hidden]; exactly x, or no overlap with it
  int64_t y_stride = 0;     // values from one row of y to the next; 0: hidden
  float* mean = nullptr;    // [rows], or absent
  float* rstd = nullptr;    // [rows], or absent
};

// One layer, ready to run: its parameters are checked here, once, and each call then pays only for its rows.
// It views gamma and beta, which must outlive it. Any number of threads may run it at once.
class LayerNorm {
 public:
  // Errors: InvalidArgument that names expected and got, for a hidden below 1, a gamma or beta of another
  // length, an epsilon that is negative or not finite, and where `target` is null the errors of
  // DefaultTarget.
  static absl::StatusOr<LayerNorm> Create(const LayerNormParameters& parameters,
                                          const Target* target = nullptr);

  // Normalizes the rows. Allocates nothing.
  // Errors: InvalidArgument, before anything is written, for a negative number of rows, a stride below
  // hidden, sizes that overflow, a missing address, or operands that overlap other than by y being exactly x.
  absl::Status Run(const NormOperands& operands) const;

  int64_t hidden() const { return parameters_.hidden; }

 private:
  LayerNorm(const LayerNormParameters& parameters, float epsilon, const Kernels* kernels);

  LayerNormParameters parameters_;
  float epsilon_;
  bool finite_parameters_;
  const Kernels* kernels_;
};

}  // namespace normd

#endif  // NORMD_NORM_H_
