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

// Why a row cannot stand as it was measured. As wide as double, so that compilers find several rows at once.
constexpr int64_t kPoor = 1;   // the mean lies far from the centre
constexpr int64_t kUnfit = 2;  // its squares left float's range, on either side, or an element is not finite

// Written so that NaN is unfit. Testing the variance or rstd alone is not enough: an infinite square gives a
// finite rstd, and +-3e-23 with epsilon 0 gives one that is wrong by millions. Between these two bounds rstd
// is from 2^-100 to 2^50, and needs no test of its own: squares and epsilon are floats.
inline int64_t Unfit(double square, double sum) {
  constexpr double kLargest = 0x1.fffffffffffffp+1023;
  const int64_t infinite = square <= kLargest ? 0 : kUnfit;
  const int64_t tiny = sum >= 0x1p-100 ? 0 : kUnfit;
  return infinite | tiny;
}

// Returns the doubts of all rows, `doubts[r]` those of row r.
template <int R>
int64_t FinishLayer(const RowSums<R>& sums, double inverse_hidden, double epsilon, Affines<R>& affines,
                    int64_t (&doubts)[R]) {
  double rstd[R];
  double lost[R];
  int64_t any = 0;
  for (int r = 0; r < R; ++r) {
    const double centre = static_cast<double>(sums.centre[r]);
    const double shift = sums.sum[r] * inverse_hidden;
    const double square = sums.squares[r] * inverse_hidden;
    const double difference = square - shift * shift;
    const double variance = difference > 0 ? difference : 0;
    const double sum = variance + epsilon;
    rstd[r] = 1.0 / __builtin_sqrt(sum);
    affines.mean[r] = static_cast<float>(centre + shift);
    lost[r] = (centre - static_cast<double>(affines.mean[r])) + shift;
    doubts[r] = (shift * shift > variance * 0.25 ? kPoor : 0) | Unfit(square, sum);
  }
  for (int r = 0; r < R; ++r) {
    affines.rstd[r] = static_cast<float>(rstd[r]);
    affines.k[r] = static_cast<float>(-lost[r] * rstd[r]);
    any |= doubts[r];
  }
  return any;
}

template <int R>
int64_t FinishRms(const RowSums<R>& sums, double inverse_hidden, double epsilon, Affines<R>& affines,
                  int64_t (&doubts)[R]) {
  int64_t any = 0;
  for (int r = 0; r < R; ++r) {
    const double square = sums.squares[r] * inverse_hidden;
    const double sum = square + epsilon;
    const double rstd = 1.0 / __builtin_sqrt(sum);
    affines.rstd[r] = static_cast<float>(rstd);
    doubts[r] = Unfit(square, sum);
    any |= doubts[r];
  }
  return any;
}

// Where the centre of a row is moved to when it was poor.
inline float BetterCentre(float centre, double sum, double inverse_hidden) {
  return static_cast<float>(static_cast<double>(centre) + sum * inverse_hidden);
}

}  // namespace
}  // namespace normd

#endif  // NORMD_STATISTICS_H_
