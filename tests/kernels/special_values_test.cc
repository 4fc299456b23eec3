// SPDX-License-Identifier: Apache-2.0
//
// NaN, infinity, constant rows and parameters that are not finite.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "harness.h"

namespace normd {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr int64_t kWidths[] = {1, 2, 5, 17, 31, 32, 33, 64, 100, 256, 257, 384, 771, 1024, 4097};

Bits AllNan(int64_t hidden) {
  return {
      std::vector<uint32_t>(static_cast<size_t>(hidden), kCanonicalNan), {kCanonicalNan}, {kCanonicalNan}};
}

// A bad row between good ones: it is NaN, they are as if they were alone.
void ExpectOnlyMiddleRowIsNan(const Target& target, int64_t hidden, float bad, int64_t at, Random& random) {
  std::vector<float> x;
  for (int r = 0; r < 3; ++r) {
    const std::vector<float> row = OrdinaryRow(hidden, random);
    x.insert(x.end(), row.begin(), row.end());
  }
  const OwnedParameters parameters = MakeParameters(3, hidden, random);
  const Bits good = Normalize(target, x, hidden, parameters);
  x[static_cast<size_t>(hidden + at)] = bad;
  const Bits got = Normalize(target, x, hidden, parameters);
  EXPECT_TRUE(SameBits(RowOf(good, 0, hidden), RowOf(got, 0, hidden)))
      << target.name << ", hidden " << hidden;
  EXPECT_TRUE(SameBits(AllNan(hidden), RowOf(got, 1, hidden)))
      << target.name << ", hidden " << hidden << ", " << bad;
  EXPECT_TRUE(SameBits(RowOf(good, 2, hidden), RowOf(got, 2, hidden)))
      << target.name << ", hidden " << hidden;
}

TEST(SpecialValuesTest, NonFiniteRowIsNanAndNoOtherRowIs) {
  Random random(20);
  const float signalling = std::bit_cast<float>(0x7FA00001U);
  const float negative = std::bit_cast<float>(0xFFC12345U);
  for (const Target* target : TargetsHere()) {
    for (const int64_t hidden : kWidths) {
      for (const float bad : {kNan, signalling, negative, kInfinity, -kInfinity}) {
        ExpectOnlyMiddleRowIsNan(*target, hidden, bad, random.Below(hidden), random);
      }
    }
  }
}

TEST(SpecialValuesTest, BothInfinitiesInOneRow) {
  for (const Target* target : TargetsHere()) {
    const std::vector<float> x = {kInfinity, -kInfinity, 1, 2};
    EXPECT_TRUE(SameBits(AllNan(4), Normalize(*target, x, 4, {}))) << target->name;
  }
}

// "Exactly": the same value; a zero may have either sign.
void ExpectExactly(std::span<const float> expected, std::span<const float> got, const char* what) {
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), got.begin(), got.end()))
      << what << ", hidden " << got.size();
}

TEST(SpecialValuesTest, ConstantRowsAreExactlyBeta) {
  Random random(21);
  constexpr float kConstants[] = {0,     -0.0F, 0.1F,   -0.1F,  1,      1234,     1e15F,     1e-30F,
                                  1e30F, 3e38F, -3e38F, 1e-41F, 1e-45F, 16777216, 3.3333333F};
  for (const Target* target : TargetsHere()) {
    for (const int64_t hidden : kWidths) {
      for (const float constant : kConstants) {
        const std::vector<float> x(static_cast<size_t>(hidden), constant);
        for (const double epsilon : {0.0, 1e-12, 1e-5}) {
          OwnedParameters parameters = MakeParameters(3, hidden, random);
          parameters.epsilon = epsilon;
          ExpectExactly(parameters.beta, NormalizedRow(*target, x, parameters), "beta");
          parameters.beta.clear();
          ExpectExactly(std::vector<float>(x.size(), 0.0F), NormalizedRow(*target, x, parameters), "no beta");
        }
      }
    }
  }
}

TEST(SpecialValuesTest, MeanOfConstantRowIsTheConstant) {
  for (const Target* target : TargetsHere()) {
    for (const int64_t hidden : kWidths) {
      for (const float constant : {0.1F, 1234.0F, 3e38F, 1e-45F}) {
        const std::vector<float> x(static_cast<size_t>(hidden), constant);
        EXPECT_EQ(ValuesOf(Normalize(*target, x, hidden, {}).mean)[0], constant)
            << target->name << ", hidden " << hidden;
      }
    }
  }
}

// What IEEE says of gamma * xhat + beta, NaN in its canonical form. The elements concerned are NaN or
// infinite, so that the sum's rounding does not matter.
float WithParameters(float xhat, float gamma, float beta) {
  const float y = gamma * xhat + beta;
  return std::isnan(y) ? std::bit_cast<float>(kCanonicalNan) : y;
}

// gamma and beta with one bad value each; every other element keeps its bits.
void ExpectIeee(const Target& target, std::span<const float> x, float gamma, float beta, int64_t at,
                Random& random) {
  const auto hidden = static_cast<int64_t>(x.size());
  const auto i = static_cast<size_t>(at);
  OwnedParameters parameters = MakeParameters(3, hidden, random);
  const float xhat = NormalizedRow(target, x, {.gamma = {}, .beta = {}, .epsilon = parameters.epsilon})[i];
  std::vector<float> expected = NormalizedRow(target, x, parameters);
  parameters.gamma[i] = gamma;
  parameters.beta[i] = beta;
  expected[i] = WithParameters(xhat, gamma, beta);
  const std::vector<float> got = NormalizedRow(target, x, parameters);
  EXPECT_TRUE(SameBits(BitsOf(expected), BitsOf(got))) << target.name << ", hidden " << hidden << ", gamma "
                                                       << gamma << ", beta " << beta << ", xhat " << xhat;
}

TEST(SpecialValuesTest, NonFiniteParametersGiveWhatIeeeSays) {
  Random random(22);
  constexpr float kPairs[][2] = {
      {kNan, 1},      {1, kNan},         {-kNan, 0},     {kInfinity, 1},         {-kInfinity, 1},
      {1, kInfinity}, {1, -kInfinity},   {0, kInfinity}, {kInfinity, kInfinity}, {kInfinity, -kInfinity},
      {0, kNan},      {kInfinity, -kNan}};
  for (const Target* target : TargetsHere()) {
    for (const int64_t hidden : kWidths) {
      const std::vector<float> x = OrdinaryRow(hidden, random);
      const std::vector<float> huge = MakeRow(RowKind::kHuge, hidden, random);
      for (const auto& [gamma, beta] : kPairs) {
        ExpectIeee(*target, x, gamma, beta, random.Below(hidden), random);
        ExpectIeee(*target, huge, gamma, beta, random.Below(hidden), random);
      }
    }
  }
}

// Infinity times the 0 of a constant row is NaN, and so is the default NaN that x86 makes negative.
TEST(SpecialValuesTest, InfiniteGammaOnConstantRow) {
  for (const Target* target : TargetsHere()) {
    for (const double epsilon : {0.0, 1e-5}) {
      const OwnedParameters parameters{.gamma = {1, kInfinity, 2}, .beta = {}, .epsilon = epsilon};
      const std::vector<uint32_t> y = Normalize(*target, std::vector<float>{7, 7, 7}, 3, parameters).y;
      EXPECT_TRUE(SameBits(std::vector<uint32_t>{0, kCanonicalNan, 0}, y))
          << target->name << ", epsilon " << epsilon;
    }
  }
}

}  // namespace
}  // namespace normd
