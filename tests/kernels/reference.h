// SPDX-License-Identifier: Apache-2.0
//
// The exact answer, to measure the kernels against. It shares nothing with them: another precision, another
// order of additions, two passes with a corrected mean, no shift, no lanes.

#ifndef NORMD_TESTS_KERNELS_REFERENCE_H_
#define NORMD_TESTS_KERNELS_REFERENCE_H_

#include <cfloat>
#include <cstdint>
#include <span>

namespace normd {

// 64 bits of mantissa on x86-64, 113 on arm64. Sixty-four are ample: a sum of 2^20 floats in pairs is off by
// at most 21 * 2^-64 of its terms, the corrected mean takes that out once more, and a row-ULP is 2^-23 of the
// row's largest deviation, which for a row that is not constant is at least 2^-24 of its largest value. What
// is left is below 2^-15 row-ULP. Fifteen bits of exponent hold the squares of every float32, denormals among
// them.
static_assert(LDBL_MANT_DIG >= 64 && LDBL_MAX_EXP >= 16384, "the reference needs more than double");

// One row's statistics. It views x, which must outlive it.
class ExactRow {
 public:
  ExactRow(std::span<const float> x, double epsilon);

  long double mean() const { return first_mean_ + correction_; }
  long double rstd() const { return rstd_; }
  long double Xhat(int64_t i) const { return constant() ? 0.0L : Deviation(i) * rstd_; }
  long double LargestXhat() const { return constant() ? 0.0L : largest_deviation_ * rstd_; }

  // gamma and beta may be empty.
  long double Y(int64_t i, std::span<const float> gamma, std::span<const float> beta) const;

 private:
  // The two parts of the mean are taken off one after the other: their sum would round the correction away.
  long double Deviation(int64_t i) const { return (x_[i] - first_mean_) - correction_; }
  bool constant() const { return largest_deviation_ == 0; }

  std::span<const float> x_;
  long double first_mean_;
  long double correction_ = 0;
  long double largest_deviation_ = 0;
  long double rstd_;
};

// How far y is from the exact row, in row-ULP, as normd/norm.h counts: beyond 1 ULP of y[i] and 2^-149, in
// units of 2^-23 * |gamma[i]| * the largest |xhat|. Infinity where y is NaN, or is off where that unit is 0.
double ContractRowUlp(const ExactRow& exact, std::span<const float> gamma, std::span<const float> beta,
                      std::span<const float> y);

// The same without gamma and beta, and without the ULP of y that the contract gives away: what the search
// climbs on.
double StrictRowUlp(const ExactRow& exact, std::span<const float> y);

}  // namespace normd

#endif  // NORMD_TESTS_KERNELS_REFERENCE_H_
