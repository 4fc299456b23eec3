// SPDX-License-Identifier: Apache-2.0
//
// Every target gives the bits of the scalar one, wherever its operands lie.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness.h"

namespace normd {
namespace {

constexpr double kEpsilons[] = {1e-5, 0, 1e-12, 1.0};

void ExpectSameAsScalar(const Trial& trial, const Layout& layout, const Variant& variant) {
  const Bits expected = Answer(Scalar(), trial);
  for (const Target* target : TargetsHere()) {
    EXPECT_TRUE(SameBits(expected, Answer(*target, trial, layout)))
        << target->name << ", " << Describe(variant) << ", hidden " << trial.hidden << ", rows "
        << trial.rows() << ", epsilon " << trial.parameters.epsilon << ", " << Describe(layout);
  }
}

TEST(BitsTest, ScalarIsTheLastTargetAndRunsHere) {
  EXPECT_EQ(Scalar().name, "scalar");
  EXPECT_TRUE(Scalar().runs_here());
}

// Rows of every kind, from one to nine.
void ExpectSameOfVariant(const Variant& variant, int64_t hidden, Random& random) {
  const auto first_kind = static_cast<int>(random.Below(kRowKinds));
  Trial trial = MakeTrial(variant, 1 + random.Below(9), hidden, random, first_kind);
  trial.parameters.epsilon = kEpsilons[random.Below(4)];
  ExpectSameAsScalar(trial, RandomLayout(trial, random), variant);
}

TEST(BitsTest, EveryVariant) {
  Random random(10);
  for (const Variant& variant : EveryVariant()) {
    for (const int64_t hidden : {1, 3, 8, 31, 33, 64, 100, 257, 384, 771, 1153})
      ExpectSameOfVariant(variant, hidden, random);
  }
}

TEST(BitsTest, EveryHidden) {
  Random random(11);
  for (const NormKind kind : kEveryKind) {
    for (const DataType data_type : kEveryDataType) {
      const std::vector<Variant> variants = VariantsOf(kind, data_type);
      size_t next = 0;
      for (const int64_t hidden : EveryHidden())
        ExpectSameOfVariant(variants[next++ % variants.size()], hidden, random);
    }
  }
}

std::vector<float> RandomFloats(int64_t count, Random& random) {
  return RandomBits(count, random, DataType::kFloat32);
}

// Bits of any kind wherever a value is read; one array in four, so that rows stay finite often enough.
void Scramble(Trial& trial, Random& random) {
  for (std::vector<float>* rows : {&trial.x, &trial.residual}) {
    if (random.Below(4) == 0) *rows = RandomBits(static_cast<int64_t>(rows->size()), random, trial.data_type);
  }
  OwnedParameters& parameters = trial.parameters;
  for (std::vector<float>* values : {&trial.given_mean, &trial.given_rstd, &parameters.gamma,
                                     &parameters.beta, &parameters.running_mean}) {
    if (random.Below(4) == 0) *values = RandomFloats(static_cast<int64_t>(values->size()), random);
  }
  if (random.Below(4) != 0) return;
  for (float& variance : parameters.running_var) variance = std::fabs(RandomFloats(1, random)[0]);
  for (float& variance : parameters.running_var) variance = std::isnan(variance) ? 0 : variance;
}

TEST(BitsTest, RandomBitsAndWidths) {
  Random random(12);
  const std::vector<Variant> variants = EveryVariant();
  for (int i = 0; i < 1500; ++i) {
    const Variant& variant =
        variants[static_cast<size_t>(random.Below(static_cast<int64_t>(variants.size())))];
    const int64_t widest = i % 8 == 0 ? 9000 : 300;
    Trial trial = MakeTrial(variant, 1 + random.Below(9), 1 + random.Below(widest), random);
    Scramble(trial, random);
    ExpectSameAsScalar(trial, RandomLayout(trial, random), variant);
  }
}

// Differences from statistics, and scales, beyond float32's ends.
TEST(BitsTest, StatisticsAndParametersOfAnyMagnitude) {
  Random random(16);
  for (int i = 0; i < 3000; ++i) {
    const bool batch = i % 3 == 0;
    const Variant variant{
        .kind = batch ? NormKind::kBatchNorm : NormKind::kLayerNorm, .gamma = true, .given = !batch};
    Trial trial = MakeTrial(variant, 1, 1 + random.Below(70), random);
    OwnedParameters& parameters = trial.parameters;
    for (std::vector<float>* values : {&trial.x, &trial.given_mean, &trial.given_rstd, &parameters.gamma,
                                       &parameters.running_mean, &parameters.running_var}) {
      for (float& value : *values) value = AnyMagnitude(random);
    }
    for (float& value : trial.x) value *= random.Below(2) == 0 ? 1 : -1;
    ExpectSameAsScalar(trial, {}, variant);
  }
}

// Rows near the edges of what the fast path may keep: scales in steps of two octaves from denormals to
// overflow.
TEST(BitsTest, EveryScale) {
  Random random(13);
  for (const NormKind kind : {NormKind::kLayerNorm, NormKind::kRmsNorm}) {
    for (int exponent = -149; exponent < 128; exponent += 2) {
      for (const int64_t hidden : {1, 5, 33, 100, 257, 384, 1153}) {
        const Variant variant{.kind = kind};
        Trial trial = MakeTrial(variant, 1, hidden, random);
        for (float& value : trial.x) value = std::ldexp(static_cast<float>(random.Bell() / 4), exponent);
        trial.parameters.epsilon = kEpsilons[exponent & 3];
        ExpectSameAsScalar(trial, {}, variant);
      }
    }
  }
}

// A band of exponents a row, so that some rows pass the fast path and some are rescued.
TEST(BitsTest, RandomExponents) {
  Random random(14);
  for (int i = 0; i < 300; ++i) {
    const Variant variant = FullVariant(kEveryKind[i % 3], DataType::kFloat32);
    Trial trial = MakeTrial(variant, 1, 1 + random.Below(3000), random);
    const int64_t lowest = random.Below(100) - 50;
    for (float& value : trial.x) {
      value =
          std::ldexp(static_cast<float>(random.Between(-1, 1)), static_cast<int>(lowest + random.Below(40)));
    }
    ExpectSameAsScalar(trial, {}, variant);
  }
}

// Which element holds the NaN decides which code sees it: body, tail, or the elements that set the centre.
TEST(BitsTest, NanAtEachPosition) {
  Random random(15);
  for (const Variant& variant : {FullVariant(NormKind::kLayerNorm, DataType::kFloat32),
                                 FullVariant(NormKind::kRmsNorm, DataType::kFloat16),
                                 FullVariant(NormKind::kBatchNorm, DataType::kBfloat16)}) {
    for (const int64_t hidden : {1, 2, 3, 31, 33, 50, 129, 300}) {
      Trial trial = MakeTrial(variant, 1, hidden, random);
      trial.residual = OrdinaryRow(hidden, random, variant.data_type);
      for (float& value : trial.x) {
        const float bad = random.Below(2) == 0 ? std::numeric_limits<float>::quiet_NaN()
                                               : std::numeric_limits<float>::infinity();
        const float good = std::exchange(value, bad);
        ExpectSameAsScalar(trial, {}, variant);
        value = good;
      }
    }
  }
}

}  // namespace
}  // namespace normd
