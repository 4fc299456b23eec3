// SPDX-License-Identifier: Apache-2.0
//
// From a row's sums to the numbers of its last pass, in double, for one row or several at once. The loops
// have no branch, so that compilers do several rows with one instruction.

#ifndef NORMD_STATISTICS_H_
#define NORMD_STATISTICS_H_

#include <cstdint>

#include "measure.h"

namespace normd {
namespace {

// xhat = fma(v - mean, rstd, k) for R rows; under rms_norm xhat = v * rstd.
template <int R>
struct Affines {
  float mean[R];
  float rstd[R];
  float k[R];
  uint32_t rescued = 0;  // bit r: row r is done by the rescue, and its numbers mean nothing
};

// Why a row cannot stand as it was measured.
constexpr uint32_t kPoor = 1;   // the mean lies far from the centre
constexpr uint32_t kUnfit = 2;  // its squares left float's range, on either side, or an element is not finite

// Written so that NaN is unfit. Testing the variance or rstd alone is not enough: an infinite square gives a
// finite rstd, and +-3e-23 with epsilon 0 gives one that is wrong by millions.
inline uint32_t Doubts(double shift_squared, double square, double variance, double sum, double rstd) {
  constexpr double kLargest = 0x1.fffffffffffffp+1023;
  const bool poor = shift_squared > variance * 0.25;
  const bool good = (square <= kLargest) & (sum >= 0x1p-100) & (rstd <= kLargest) & (rstd >= 0x1p-126);
  return (poor ? kPoor : 0U) | (good ? 0U : kUnfit);
}

// Returns the doubts of all rows, `doubts[r]` those of row r.
template <int R>
uint32_t FinishLayer(const RowSums<R>& sums, double inverse_hidden, double epsilon, Affines<R>& affines,
                     uint32_t (&doubts)[R]) {
  uint32_t any = 0;
  for (int r = 0; r < R; ++r) {
    const double centre = static_cast<double>(sums.centre[r]);
    const double shift = sums.sum[r] * inverse_hidden;
    const double square = sums.squares[r] * inverse_hidden;
    const double difference = square - shift * shift;
    const double variance = difference > 0 ? difference : 0;
    const double sum = variance + epsilon;
    const double rstd = 1.0 / __builtin_sqrt(sum);
    const float mean = static_cast<float>(centre + shift);
    const double lost = (centre - static_cast<double>(mean)) + shift;
    affines.mean[r] = mean;
    affines.rstd[r] = static_cast<float>(rstd);
    affines.k[r] = static_cast<float>(-lost * rstd);
    doubts[r] = Doubts(shift * shift, square, variance, sum, rstd);
    any |= doubts[r];
  }
  return any;
}

template <int R>
uint32_t FinishRms(const RowSums<R>& sums, double inverse_hidden, double epsilon, Affines<R>& affines,
                   uint32_t (&doubts)[R]) {
  uint32_t any = 0;
  for (int r = 0; r < R; ++r) {
    const double square = sums.squares[r] * inverse_hidden;
    const double sum = square + epsilon;
    const double rstd = 1.0 / __builtin_sqrt(sum);
    affines.rstd[r] = static_cast<float>(rstd);
    doubts[r] = Doubts(0, square, square, sum, rstd);
    any |= doubts[r];
  }
  return any;
}

// Where the centre of a row is moved to when it was poor.
inline float BetterCentre(const RowSums<1>& sums, double inverse_hidden) {
  return static_cast<float>(static_cast<double>(sums.centre[0]) + sums.sum[0] * inverse_hidden);
}

}  // namespace
}  // namespace normd

#endif  // NORMD_STATISTICS_H_
