// SPDX-License-Identifier: Apache-2.0
//
// The exact answer, to measure the kernels against. It shares nothing with them: another precision, another
// order of additions, two passes with a corrected mean, no shift, no lanes.

#ifndef NORMD_VERIFY_REFERENCE_H_
#define NORMD_VERIFY_REFERENCE_H_

#include <cfloat>
#include <cstdint>
#include <span>
#include <vector>

#include "trial.h"

namespace normd {

// 64 bits of mantissa on x86-64, 113 on arm64. Sixty-four are ample: a sum of 2^20 floats in pairs is off by
// at most 21 * 2^-64 of its terms, the corrected mean takes that out once more, and a row-ULP is 2^-23 of the
// row's largest deviation, which for a row that is not constant is at least 2^-24 of its largest value. What
// is left is below 2^-15 row-ULP. Fifteen bits of exponent hold the squares of every float32, denormals among
// them.
static_assert(LDBL_MANT_DIG >= 64 && LDBL_MAX_EXP >= 16384, "the reference needs more than double");

// The exact answer to a trial of one row.
class ExactRow {
 public:
  explicit ExactRow(const Trial& row);
  // layer_norm of float32 without gamma and beta.
  ExactRow(std::span<const float> x, double epsilon);

  DataType data_type() const { return row_.data_type; }
  int64_t hidden() const { return row_.hidden; }
  // Whether the contract speaks of this row: its values, its statistics and its xhat are finite.
  bool finite() const;

  long double mean() const { return first_mean_ + correction_; }
  long double rstd() const { return rstd_; }
  long double Xhat(int64_t i) const { return xhat_[static_cast<size_t>(i)]; }
  long double LargestXhat() const { return largest_xhat_; }
  long double Gain(int64_t i) const;  // gamma, with the offset of rms_norm
  long double Y(int64_t i) const;

 private:
  // The two parts of the mean are taken off one after the other: their sum would round the correction away.
  long double Deviation(int64_t i) const { return (Value(i) - first_mean_) - correction_; }
  // x, or x + residual rounded to the data type.
  long double Value(int64_t i) const { return values_[static_cast<size_t>(i)]; }
  void FindMean();
  void FindRstd();
  long double FindXhat(int64_t i) const;

  Trial row_;
  std::vector<long double> values_;  // loading a denormal float into one takes hundreds of cycles
  long double first_mean_ = 0;
  long double correction_ = 0;
  long double rstd_ = 0;
  std::vector<long double> xhat_;
  long double largest_xhat_ = 0;
};

inline constexpr double kWorstAllowed = 8;     // row-ULP, any finite row
inline constexpr double kOrdinaryAllowed = 2;  // row-ULP, rows as models have them

// How far y is from the exact row, in row-ULP, as normd/norm.h counts: beyond 1 ULP of y[i] and
// 2^-149 * max(1, |gamma[i]|), in units of 2^-23 * |gamma[i]| * the largest |xhat|. A float16 or bfloat16
// stands for all that rounds to it, and so does infinity. Infinity where y is NaN, or is off where that unit
// is 0.
double ContractRowUlp(const ExactRow& exact, std::span<const float> y);

// The same without gamma and beta, and without the ULP of y that the contract gives away: what the search
// climbs on.
double StrictRowUlp(const ExactRow& exact, std::span<const float> y);

}  // namespace normd

#endif  // NORMD_VERIFY_REFERENCE_H_
