// SPDX-License-Identifier: Apache-2.0
#include "rows.h"

#include <bit>
#include <limits>

namespace normd {
namespace {

template <typename Value>
std::vector<float> Filled(int64_t hidden, const Value& value) {
  std::vector<float> row(static_cast<size_t>(hidden));
  for (float& x : row) x = static_cast<float>(value());
  return row;
}

float RandomBits(Random& random) { return std::bit_cast<float>(static_cast<uint32_t>(random.Next())); }

// An exponent of all ones is NaN or infinity; its lowest bit cleared makes it finite.
float FiniteBits(Random& random) {
  constexpr uint32_t kExponent = 0x7F800000;
  auto bits = static_cast<uint32_t>(random.Next());
  if ((bits & kExponent) == kExponent) bits &= ~0x00800000U;
  return std::bit_cast<float>(bits);
}

float DenormalBits(Random& random) {
  return std::bit_cast<float>(static_cast<uint32_t>(random.Next()) & 0x807FFFFFU);
}

std::vector<float> WithOne(std::vector<float> row, float value, Random& random) {
  row[static_cast<size_t>(random.Below(static_cast<int64_t>(row.size())))] = value;
  return row;
}

std::vector<float> ConstantRow(int64_t hidden, Random& random) {
  return std::vector<float>(static_cast<size_t>(hidden), static_cast<float>(random.Bell() * 1e3));
}

std::vector<float> NonFiniteRow(int64_t hidden, float value, Random& random) {
  return WithOne(OrdinaryRow(hidden, random), random.Below(2) == 0 ? value : -value, random);
}

std::vector<float> SpreadRow(int64_t hidden, double base, double spread, Random& random) {
  return Filled(hidden, [&] { return base + spread * random.Bell(); });
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

std::vector<float> OrdinaryRow(int64_t hidden, Random& random) {
  constexpr double kSpreads[] = {0.01, 0.1, 1, 10, 100};
  const double spread = kSpreads[random.Below(5)];
  return SpreadRow(hidden, random.Between(-3, 3) * spread, spread, random);
}

std::vector<float> MakeRow(RowKind kind, int64_t hidden, Random& random) {
  switch (kind) {
    case RowKind::kRandomBits:
      return Filled(hidden, [&] { return RandomBits(random); });
    case RowKind::kFiniteBits:
      return Filled(hidden, [&] { return FiniteBits(random); });
    case RowKind::kHuge:
      return SpreadRow(hidden, 1e30, 1e30, random);
    case RowKind::kConstant:
      return ConstantRow(hidden, random);
    case RowKind::kOutlier:
      return WithOne(OrdinaryRow(hidden, random), 1e6F, random);
    case RowKind::kDenormal:
      return Filled(hidden, [&] { return DenormalBits(random); });
    case RowKind::kLargeBase:
      return SpreadRow(hidden, 1e5, 0.01, random);
    case RowKind::kTiny:
      return SpreadRow(hidden, 0, 3e-23, random);
    case RowKind::kOneNan:
      return NonFiniteRow(hidden, std::numeric_limits<float>::quiet_NaN(), random);
    case RowKind::kOneInfinity:
      return NonFiniteRow(hidden, std::numeric_limits<float>::infinity(), random);
    case RowKind::kOrdinary:
      break;
  }
  return OrdinaryRow(hidden, random);
}

std::vector<float> MixedRows(int64_t rows, int64_t hidden, Random& random) {
  std::vector<float> all;
  all.reserve(static_cast<size_t>(rows * hidden));
  for (int64_t r = 0; r < rows; ++r) {
    const std::vector<float> row = MakeRow(static_cast<RowKind>(r % kRowKinds), hidden, random);
    all.insert(all.end(), row.begin(), row.end());
  }
  return all;
}

std::vector<float> ParameterRow(int64_t hidden, double centre, Random& random) {
  return SpreadRow(hidden, centre, 0.25, random);
}

std::vector<int64_t> SpreadOfHidden() {
  return {319,  320,  321,  384,  511,  512,  513,  640,  767,  768,  769,  771,  1000, 1023,  1024,  1025,
          1151, 1536, 2047, 2048, 2049, 3072, 4095, 4096, 4097, 5120, 8191, 8192, 8193, 12288, 16383, 16384};
}

std::vector<int64_t> EveryHidden() {
  std::vector<int64_t> all;
  for (int64_t hidden = 1; hidden <= 300; ++hidden) all.push_back(hidden);
  for (const int64_t hidden : SpreadOfHidden()) all.push_back(hidden);
  return all;
}

}  // namespace normd
