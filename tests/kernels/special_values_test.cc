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

std::vector<Variant> FullVariants() {
  std::vector<Variant> all;
  for (const NormKind kind : kEveryKind) {
    for (const DataType data_type : kEveryDataType) all.push_back(FullVariant(kind, data_type));
  }
  return all;
}

Trial OrdinaryTrial(const Variant& variant, int64_t rows, int64_t hidden, Random& random) {
  Trial trial = MakeTrial(variant, rows, hidden, random);
  trial.x = OrdinaryRow(rows * hidden, random, variant.data_type);
  if (variant.residual) trial.residual = OrdinaryRow(rows * hidden, random, variant.data_type);
  return trial;
}

bool AllAre(uint32_t bits, const std::vector<uint32_t>& values) {
  return std::ranges::all_of(values, [bits](uint32_t one) { return one == bits; });
}

// A bad row between good ones: it is NaN, they are as if it were good. The sum is what IEEE says
// (conversion_test).
void ExpectOnlyMiddleRowIsNan(const Target& target, const Trial& good, const Trial& bad,
                              const Variant& variant) {
  const Bits before = Answer(target, good);
  const Bits after = Answer(target, bad);
  const int64_t hidden = good.hidden;
  for (const int64_t row : {0, 2}) {
    EXPECT_TRUE(SameBits(RowOf(before, row, hidden), RowOf(after, row, hidden)))
        << target.name << ", " << Describe(variant) << ", hidden " << hidden;
  }
  const Bits middle = RowOf(after, 1, hidden);
  EXPECT_TRUE(AllAre(CanonicalNanOf(variant.data_type), middle.y))
      << target.name << ", " << Describe(variant) << ", hidden " << hidden;
  EXPECT_TRUE(AllAre(kCanonicalNan, middle.mean) && AllAre(kCanonicalNan, middle.rstd))
      << target.name << ", " << Describe(variant);
}

TEST(SpecialValuesTest, NonFiniteRowIsNanAndNoOtherRowIs) {
  Random random(20);
  const float signalling = std::bit_cast<float>(0x7FA10001U);
  const float negative = std::bit_cast<float>(0xFFC12345U);
  for (const Variant& variant : FullVariants()) {
    for (const int64_t hidden : kWidths) {
      for (const float bad : {kNan, signalling, negative, kInfinity, -kInfinity}) {
        const Trial good = OrdinaryTrial(variant, 3, hidden, random);
        Trial with_bad = good;
        std::vector<float>& where = random.Below(2) == 0 ? with_bad.x : with_bad.residual;
        where[static_cast<size_t>(hidden + random.Below(hidden))] = bad;
        for (const Target* target : TargetsHere()) ExpectOnlyMiddleRowIsNan(*target, good, with_bad, variant);
      }
    }
  }
}

// In one row, in one element, and as a sum that overflows.
TEST(SpecialValuesTest, InfinitiesThatMeet) {
  for (const DataType data_type : kEveryDataType) {
    const float largest = data_type == DataType::kFloat16 ? 65504 : 0x1.FEp127F;
    const std::vector<float> rows[][2] = {{{kInfinity, -kInfinity, 1, 2}, {0, 0, 0, 0}},
                                          {{1, 2, kInfinity, 3}, {1, 2, -kInfinity, 3}},
                                          {{1, largest, 2, 3}, {1, largest, 2, 3}}};
    for (const auto& [x, residual] : rows) {
      const Trial trial{.data_type = data_type, .hidden = 4, .x = x, .residual = residual};
      for (const Target* target : TargetsHere()) {
        EXPECT_TRUE(AllAre(CanonicalNanOf(data_type), Answer(*target, trial).y))
            << target->name << ", " << NameOf(data_type) << ", x[0] " << x[0];
      }
    }
  }
}

// "Exactly": the same value; a zero may have either sign.
void ExpectExactly(const std::vector<float>& expected, const Trial& trial) {
  for (const Target* target : TargetsHere()) {
    EXPECT_EQ(RoundAll(trial.data_type, expected), DecodeAll(trial.data_type, Answer(*target, trial).y))
        << target->name << ", " << NameOf(trial.data_type) << ", hidden " << trial.hidden << ", x[0] "
        << trial.x[0];
  }
}

TEST(SpecialValuesTest, ConstantRowsAreExactlyBeta) {
  Random random(21);
  constexpr float kConstants[] = {0,     -0.0F, 0.1F,   -0.1F,  1,      1234,     1e15F,     1e-30F,
                                  1e30F, 3e38F, -3e38F, 1e-41F, 1e-45F, 16777216, 3.3333333F};
  for (const DataType data_type : kEveryDataType) {
    for (const int64_t hidden : kWidths) {
      for (const float constant : kConstants) {
        const float rounded = Decode(data_type, Encode(data_type, constant));
        if (!std::isfinite(rounded)) continue;
        Trial trial = MakeTrial({.data_type = data_type, .gamma = true, .beta = true}, 1, hidden, random);
        std::ranges::fill(trial.x, rounded);
        trial.parameters.epsilon = std::vector{0.0, 1e-12, 1e-5}[static_cast<size_t>(random.Below(3))];
        ExpectExactly(trial.parameters.beta, trial);
        trial.parameters.beta.clear();
        ExpectExactly(std::vector<float>(trial.x.size(), 0.0F), trial);
      }
    }
  }
}

// A dead feature: no variance, and the value it always had.
TEST(SpecialValuesTest, FeatureAtItsRunningMeanIsExactlyBeta) {
  Random random(23);
  for (const double epsilon : {0.0, 1e-5}) {
    Trial trial = MakeTrial({.kind = NormKind::kBatchNorm, .beta = true}, 1, 37, random);
    trial.x = trial.parameters.running_mean;
    trial.parameters.epsilon = epsilon;
    for (size_t i = 0; i < trial.x.size(); i += 3) trial.parameters.running_var[i] = 0;
    ExpectExactly(trial.parameters.beta, trial);
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
uint32_t WithParameters(DataType data_type, float xhat, float gamma, float beta) {
  const float y = gamma * xhat + beta;
  return std::isnan(y) ? CanonicalNanOf(data_type) : Encode(data_type, y);
}

// gamma and beta with one bad value each; every other element keeps its bits.
void ExpectIeee(const Target& target, Trial row, float gamma, float beta, Random& random) {
  const auto i = static_cast<size_t>(random.Below(row.hidden));
  Trial plain = row;
  plain.parameters.gamma.clear();
  plain.parameters.beta.clear();
  const float xhat = DecodeAll(row.data_type, Answer(target, plain).y)[i];
  std::vector<uint32_t> expected = Answer(target, row).y;
  row.parameters.gamma[i] = gamma;
  if (!row.parameters.beta.empty()) row.parameters.beta[i] = beta;
  expected[i] = WithParameters(row.data_type, xhat, gamma, row.parameters.beta.empty() ? 0 : beta);
  EXPECT_TRUE(SameBits(expected, Answer(target, row).y))
      << target.name << ", " << NameOf(row.parameters.kind) << " " << NameOf(row.data_type) << ", hidden "
      << row.hidden << ", gamma " << gamma << ", beta " << beta << ", xhat " << xhat;
}

TEST(SpecialValuesTest, NonFiniteParametersGiveWhatIeeeSays) {
  Random random(22);
  constexpr float kPairs[][2] = {
      {kNan, 1},      {1, kNan},         {-kNan, 0},     {kInfinity, 1},         {-kInfinity, 1},
      {1, kInfinity}, {1, -kInfinity},   {0, kInfinity}, {kInfinity, kInfinity}, {kInfinity, -kInfinity},
      {0, kNan},      {kInfinity, -kNan}};
  for (const DataType data_type : kEveryDataType) {
    for (const int64_t hidden : kWidths) {
      for (const auto& [gamma, beta] : kPairs) {
        Trial row = MakeTrial({.data_type = data_type, .gamma = true, .beta = true}, 1, hidden, random,
                              static_cast<int>(random.Below(2) == 0 ? RowKind::kOrdinary : RowKind::kHuge));
        for (const Target* target : TargetsHere()) ExpectIeee(*target, row, gamma, beta, random);
        if (std::isfinite(gamma)) continue;
        row.parameters.kind = NormKind::kRmsNorm;
        row.parameters.beta.clear();
        for (const Target* target : TargetsHere()) ExpectIeee(*target, row, gamma, 0, random);
      }
    }
  }
}

// batch_norm's parameters are of one feature each, and what is not finite stays in it.
TEST(SpecialValuesTest, NonFiniteFeaturesKeepToThemselves) {
  for (const DataType data_type : kEveryDataType) {
    const Trial row{.parameters = {.gamma = {1, kNan, kInfinity, 1, 1, 1},
                                   .beta = {0, 0, 0, kNan, 0, 0.5F},
                                   .epsilon = 0,
                                   .kind = NormKind::kBatchNorm,
                                   .running_mean = {1, 0, 0, 0, kNan, 0},
                                   .running_var = {4, 1, 1, 1, 1, kInfinity}},
                    .data_type = data_type,
                    .hidden = 6,
                    .x = {5, 1, 1, 1, 1, 1}};
    const uint32_t nan = CanonicalNanOf(data_type);
    const std::vector<uint32_t> expected = {
        Encode(data_type, 2), nan, Encode(data_type, kInfinity), nan, nan, Encode(data_type, 0.5F)};
    for (const Target* target : TargetsHere())
      EXPECT_TRUE(SameBits(expected, Answer(*target, row).y)) << target->name << ", " << NameOf(data_type);
  }
}

// Infinity times the 0 of a constant row is NaN, and so is the default NaN that x86 makes negative.
TEST(SpecialValuesTest, InfiniteGammaOnConstantRow) {
  for (const Target* target : TargetsHere()) {
    for (const double epsilon : {0.0, 1e-5}) {
      const OwnedParameters parameters{.gamma = {1, kInfinity, 2}, .epsilon = epsilon};
      const std::vector<uint32_t> y = Normalize(*target, std::vector<float>{7, 7, 7}, 3, parameters).y;
      EXPECT_TRUE(SameBits(std::vector<uint32_t>{0, kCanonicalNan, 0}, y))
          << target->name << ", epsilon " << epsilon;
    }
  }
}

}  // namespace
}  // namespace normd
