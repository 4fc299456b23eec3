// SPDX-License-Identifier: Apache-2.0
//
// Rows for the tests, made without the mathematical library, so that every machine makes the same ones.

#ifndef NORMD_VERIFY_ROWS_H_
#define NORMD_VERIFY_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "normd/norm.h"

namespace normd {

// SplitMix64 (Steele, Lea and Flood, 2014).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next();
  int64_t Below(int64_t bound) { return static_cast<int64_t>(Next() % static_cast<uint64_t>(bound)); }
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1p-53; }  // [0, 1)
  double Between(double low, double high) { return low + (high - low) * Uniform(); }
  double Bell();  // mean 0, variance 1, within 3.5: near enough to a normal distribution

 private:
  uint64_t state_;
};

// Bell-shaped rows of activations as models have them: a spread of 0.01 to 100 and a mean of up to three
// spreads.
std::vector<float> OrdinaryRow(int64_t hidden, Random& random, DataType data_type = DataType::kFloat32);

// Row kinds that have broken one kernel or another.
enum class RowKind {
  kOrdinary,
  kRandomBits,
  kFiniteBits,
  kHuge,
  kConstant,
  kOutlier,
  kDenormal,
  kLargeBase,
  kTiny,
  kOneNan,
  kOneInfinity,
  kFarHead,  // its first elements lie far from its mean, so that layer_norm measures it twice
  kZero
};
inline constexpr int kRowKinds = 13;

// Rows of values that the type holds. Large, small and random ones lie where the type's own limits are.
std::vector<float> MakeRow(RowKind kind, int64_t hidden, Random& random,
                           DataType data_type = DataType::kFloat32);

// `rows` rows one after the other, their kinds in turn from `first` on.
std::vector<float> MixedRows(int64_t rows, int64_t hidden, Random& random,
                             DataType data_type = DataType::kFloat32, int first = 0);

// Any bits of the type: NaN, infinities and denormals among them.
std::vector<float> RandomBits(int64_t count, Random& random, DataType data_type);

// A positive value of any exponent, and often one at an end of float32.
float AnyMagnitude(Random& random);

// Values around `centre`, for gamma (1) and beta (0).
std::vector<float> ParameterRow(int64_t hidden, double centre, Random& random);

// Widths where block, vector and page edges fall, beyond those that are all tried one by one.
std::vector<int64_t> SpreadOfHidden();
// 1 to 300 and the spread, or what of it is at most `widest`.
std::vector<int64_t> EveryHidden(int64_t widest = std::numeric_limits<int64_t>::max());

}  // namespace normd

#endif  // NORMD_VERIFY_ROWS_H_
