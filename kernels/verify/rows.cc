// SPDX-License-Identifier: Apache-2.0
#include "rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "data_types.h"

namespace normd {
namespace {

// Where a type's row kinds lie.
struct Scales {
  double huge;  // a row of them has squares, or a sum, beyond the type
  double base;  // far above
  double spread;
  double tiny;  // squares that vanish
  float outlier;
  int denormal_bits;
};

Scales ScalesOf(DataType data_type) {
  if (data_type == DataType::kFloat32) return {1e30, 1e5, 0.01, 3e-23, 1e6F, 23};
  if (data_type == DataType::kFloat16) return {1.4e4, 2000, 2, 1e-6, 6e4F, 10};
  return {1e30, 1e5, 1000, 3e-23, 1e6F, 7};
}

template <typename Value>
std::vector<float> Filled(int64_t hidden, const Value& value) {
  std::vector<float> row(static_cast<size_t>(hidden));
  for (float& x : row) x = static_cast<float>(value());
  return row;
}

uint32_t RandomPattern(Random& random) { return static_cast<uint32_t>(random.Next() >> 32); }

// An exponent of all ones is NaN or infinity; its lowest bit cleared makes it finite.
float FiniteBits(Random& random, DataType data_type) {
  const Format format = FormatOf(data_type);
  const uint32_t exponent = ((1U << format.exponent_bits) - 1) << format.fraction_bits;
  uint32_t bits = RandomPattern(random) >> (32 - format.bits());
  if ((bits & exponent) == exponent) bits &= ~(1U << format.fraction_bits);
  return Decode(data_type, bits);
}

float DenormalBits(Random& random, DataType data_type) {
  const Format format = FormatOf(data_type);
  const uint32_t sign = 1U << (format.bits() - 1);
  return Decode(data_type, RandomPattern(random) & (sign | ((1U << format.fraction_bits) - 1)));
}

std::vector<float> WithOne(std::vector<float> row, float value, Random& random) {
  row[static_cast<size_t>(random.Below(static_cast<int64_t>(row.size())))] = value;
  return row;
}

std::vector<float> ConstantRow(int64_t hidden, Random& random) {
  return std::vector<float>(static_cast<size_t>(hidden), static_cast<float>(random.Bell() * 1e3));
}

std::vector<float> NonFiniteRow(int64_t hidden, float value, Random& random) {
  const float signed_value =
      random.Below(2) == 0 ? value : -value;  // not among arguments, which have no order
  return WithOne(OrdinaryRow(hidden, random), signed_value, random);
}

std::vector<float> SpreadRow(int64_t hidden, double base, double spread, Random& random) {
  return Filled(hidden, [&] { return base + spread * random.Bell(); });
}

std::vector<float> FarHeadRow(int64_t hidden, Random& random) {
  std::vector<float> row = SpreadRow(hidden, 0, 1, random);
  const int64_t head = std::min<int64_t>(32, (hidden + 1) / 2);
  for (int64_t i = 0; i < head; ++i) row[static_cast<size_t>(i)] += 20;
  return row;
}

// The row in float32; some of its values may not be values of the type yet.
std::vector<float> RoughRow(RowKind kind, int64_t hidden, Random& random, DataType data_type) {
  const Scales scales = ScalesOf(data_type);
  switch (kind) {
    case RowKind::kRandomBits:
      return RandomBits(hidden, random, data_type);
    case RowKind::kFiniteBits:
      return Filled(hidden, [&] { return FiniteBits(random, data_type); });
    case RowKind::kHuge:
      return SpreadRow(hidden, scales.huge, scales.huge, random);
    case RowKind::kConstant:
      return ConstantRow(hidden, random);
    case RowKind::kOutlier:
      return WithOne(OrdinaryRow(hidden, random), scales.outlier, random);
    case RowKind::kDenormal:
      return Filled(hidden, [&] { return DenormalBits(random, data_type); });
    case RowKind::kLargeBase:
      return SpreadRow(hidden, scales.base, scales.spread, random);
    case RowKind::kTiny:
      return SpreadRow(hidden, 0, scales.tiny, random);
    case RowKind::kOneNan:
      return NonFiniteRow(hidden, std::numeric_limits<float>::quiet_NaN(), random);
    case RowKind::kOneInfinity:
      return NonFiniteRow(hidden, std::numeric_limits<float>::infinity(), random);
    case RowKind::kFarHead:
      return FarHeadRow(hidden, random);
    case RowKind::kZero:
      return std::vector<float>(static_cast<size_t>(hidden), 0.0F);
    case RowKind::kOrdinary:
      break;
  }
  return OrdinaryRow(hidden, random);
}

}  // namespace

uint64_t Random::Next() {
  state_ += 0x9E3779B97F4A7C15;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

double Random::Bell() {
  constexpr double kRootOfThree = 1.7320508075688772;  // four uniform values have the variance 1/3
  const double sum = (Uniform() + Uniform()) + (Uniform() + Uniform());
  return (sum - 2) * kRootOfThree;
}

std::vector<float> OrdinaryRow(int64_t hidden, Random& random, DataType data_type) {
  constexpr double kSpreads[] = {0.01, 0.1, 1, 10, 100};
  const double spread = kSpreads[random.Below(5)];
  return RoundAll(data_type, SpreadRow(hidden, random.Between(-3, 3) * spread, spread, random));
}

std::vector<float> MakeRow(RowKind kind, int64_t hidden, Random& random, DataType data_type) {
  return RoundAll(data_type, RoughRow(kind, hidden, random, data_type));
}

std::vector<float> RandomBits(int64_t count, Random& random, DataType data_type) {
  const int unused = 32 - FormatOf(data_type).bits();
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = Decode(data_type, RandomPattern(random) >> unused);
  return values;
}

std::vector<float> MixedRows(int64_t rows, int64_t hidden, Random& random, DataType data_type, int first) {
  std::vector<float> all;
  all.reserve(static_cast<size_t>(rows * hidden));
  for (int64_t r = 0; r < rows; ++r) {
    const auto kind = static_cast<RowKind>((first + r) % kRowKinds);
    const std::vector<float> row = MakeRow(kind, hidden, random, data_type);
    all.insert(all.end(), row.begin(), row.end());
  }
  return all;
}

float AnyMagnitude(Random& random) {
  const int64_t exponents[] = {random.Below(277) - 148, 128, 127, -126};
  const int64_t exponent = exponents[random.Below(4)];
  return std::ldexp(static_cast<float>(random.Between(0.5, 1)), static_cast<int>(exponent));
}

std::vector<float> ParameterRow(int64_t hidden, double centre, Random& random) {
  return SpreadRow(hidden, centre, 0.25, random);
}

std::vector<int64_t> SpreadOfHidden() {
  return {319,  320,  321,  384,  511,  512,  513,  640,  767,  768,  769,  771,  1000, 1023,  1024,  1025,
          1151, 1536, 2047, 2048, 2049, 3072, 4095, 4096, 4097, 5120, 8191, 8192, 8193, 12288, 16383, 16384};
}

std::vector<int64_t> EveryHidden(int64_t widest) {
  std::vector<int64_t> all;
  for (int64_t hidden = 1; hidden <= 300; ++hidden) all.push_back(hidden);
  for (const int64_t hidden : SpreadOfHidden()) {
    if (hidden <= widest) all.push_back(hidden);
  }
  return all;
}

}  // namespace normd
