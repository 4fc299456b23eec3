// SPDX-License-Identifier: Apache-2.0
//
// How values enter and leave the kernels: every pattern of the 16-bit types, every way to round to one, and
// the residual's sum.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "harness.h"

namespace normd {
namespace {

constexpr DataType kHalves[] = {DataType::kFloat16, DataType::kBfloat16};
constexpr uint32_t kPatterns = 0x10000;

// batch_norm that takes `mean` from each value and does nothing else. Each of its steps is exact then.
Trial Difference(DataType data_type, std::vector<float> x, std::vector<float> mean) {
  const auto hidden = static_cast<int64_t>(mean.size());
  return {.parameters = {.epsilon = 0,
                         .kind = NormKind::kBatchNorm,
                         .running_mean = std::move(mean),
                         .running_var = std::vector<float>(static_cast<size_t>(hidden), 1.0F)},
          .data_type = data_type,
          .hidden = hidden,
          .x = std::move(x)};
}

std::vector<float> Patterns(DataType data_type) {
  std::vector<float> all;
  for (uint32_t bits = 0; bits < kPatterns; ++bits) all.push_back(Decode(data_type, bits));
  return all;
}

// A row each, so that those which are not finite stand alone. 0 - 0 loses the sign of -0 in no rounding mode
// that the kernels run in.
TEST(ConversionTest, EachPatternPassesThrough) {
  for (const DataType data_type : kHalves) {
    const Trial trial = Difference(data_type, Patterns(data_type), {0.0F});
    std::vector<uint32_t> expected;
    for (const float value : trial.x)
      expected.push_back(std::isfinite(value) ? Encode(data_type, value) : CanonicalNanOf(data_type));
    for (const Target* target : TargetsHere())
      EXPECT_TRUE(SameBits(expected, Answer(*target, trial).y)) << target->name << ", " << NameOf(data_type);
  }
}

TEST(ConversionTest, EachFinitePatternPassesThroughInWideRows) {
  for (const DataType data_type : kHalves) {
    std::vector<float> values = Patterns(data_type);
    std::erase_if(values, [](float value) { return !std::isfinite(value); });
    const std::vector<uint32_t> expected = EncodeAll(data_type, values);
    const std::vector<float> zeros(values.size());
    for (const Target* target : TargetsHere()) {
      const Bits bits = Answer(*target, Difference(data_type, values, zeros));
      EXPECT_TRUE(SameBits(expected, bits.y)) << target->name << ", " << NameOf(data_type);
    }
  }
}

// Each finite value, the middle between it and the next one, and the floats on both sides of that middle:
// away from zero for either sign, past the largest value among them.
std::vector<float> HardToRound(DataType data_type) {
  std::vector<float> all;
  for (const float value : Patterns(data_type)) {
    if (!std::isfinite(value)) continue;
    const Interval interval = RoundsTo(data_type, value);
    const auto middle = static_cast<float>(std::signbit(value) ? interval.low : interval.high);
    all.insert(all.end(), {value, middle, std::nextafter(middle, 0.0F), std::nextafter(middle, 2 * middle)});
  }
  return all;
}

// 0 - -t is t, to the last bit.
TEST(ConversionTest, RoundsToNearestEven) {
  for (const DataType data_type : kHalves) {
    const std::vector<float> hard = HardToRound(data_type);
    std::vector<float> negated;
    for (const float value : hard) negated.push_back(-value);
    const Trial trial = Difference(data_type, std::vector<float>(hard.size()), negated);
    // Where the difference is 0 its sign is plus.
    std::vector<uint32_t> expected = EncodeAll(data_type, hard);
    for (size_t i = 0; i < hard.size(); ++i) expected[i] = hard[i] == 0 ? 0 : expected[i];
    for (const Target* target : TargetsHere())
      EXPECT_TRUE(SameBits(expected, Answer(*target, trial).y)) << target->name << ", " << NameOf(data_type);
  }
}

// What the kernels make of float32 values, rounded once, is what they make of the same values as 16 bits.
TEST(ConversionTest, HalfAnswersAreFloatAnswersRoundedOnce) {
  Random random(80);
  for (const DataType data_type : kHalves) {
    for (const NormKind kind : kEveryKind) {
      for (const int64_t hidden : {1, 7, 33, 100, 300, 1200}) {
        Variant variant = FullVariant(kind, data_type);
        variant.residual = variant.sum = false;
        Trial trial = MakeTrial(variant, kRowKinds, hidden, random);
        for (const Target* target : TargetsHere()) {
          trial.data_type = data_type;
          const Bits halves = Answer(*target, trial);
          trial.data_type = DataType::kFloat32;
          const Bits floats = Answer(*target, trial);
          EXPECT_TRUE(SameBits(EncodeAll(data_type, ValuesOf(floats.y)), halves.y))
              << target->name << ", " << Describe(variant) << ", hidden " << hidden;
          EXPECT_TRUE(SameBits(floats.mean, halves.mean)) << Describe(variant);
          EXPECT_TRUE(SameBits(floats.rstd, halves.rstd)) << Describe(variant);
        }
      }
    }
  }
}

// x + residual by the tests' own arithmetic, NaN in its canonical form.
std::vector<uint32_t> SumBits(const Trial& trial) {
  std::vector<uint32_t> bits;
  for (size_t i = 0; i < trial.x.size(); ++i) {
    const long double sum = static_cast<long double>(trial.x[i]) + trial.residual[i];
    bits.push_back(std::isnan(sum)
                       ? CanonicalNanOf(trial.data_type)
                       : Encode(trial.data_type, static_cast<float>(RoundTo(trial.data_type, sum))));
  }
  return bits;
}

void ExpectFusedIsUnfused(const Target& target, const Trial& fused, const Variant& variant) {
  const std::vector<uint32_t> sum = SumBits(fused);
  Trial unfused = fused;
  unfused.x = DecodeAll(fused.data_type, sum);
  unfused.residual.clear();
  unfused.wants_sum = false;
  Bits expected = Answer(target, unfused);
  if (fused.wants_sum) expected.residual_sum = sum;
  EXPECT_TRUE(SameBits(expected, Answer(target, fused)))
      << target.name << ", " << Describe(variant) << ", hidden " << fused.hidden;
}

TEST(ConversionTest, FusedResidualIsUnfused) {
  Random random(81);
  for (const Variant& variant : EveryVariant()) {
    if (!variant.residual) continue;
    for (const int64_t hidden : {1, 8, 33, 100, 257, 771}) {
      const Trial trial = MakeTrial(variant, kRowKinds, hidden, random);
      for (const Target* target : TargetsHere()) ExpectFusedIsUnfused(*target, trial, variant);
    }
  }
}

// batch_norm whose scales do not fit float32 is computed another way, dead features among them.
TEST(ConversionTest, FusedResidualIsUnfusedWithParametersOfAnyMagnitude) {
  Random random(83);
  for (const DataType data_type : kEveryDataType) {
    const Variant variant = FullVariant(NormKind::kBatchNorm, data_type);
    for (int i = 0; i < 100; ++i) {
      Trial trial = MakeTrial(variant, 2, 1 + random.Below(70), random, i % kRowKinds);
      for (float& variance : trial.parameters.running_var) variance = AnyMagnitude(random);
      trial.parameters.running_var[0] = 0;
      trial.parameters.epsilon = 0;
      for (const Target* target : TargetsHere()) ExpectFusedIsUnfused(*target, trial, variant);
    }
  }
}

// Any two patterns: sums that overflow, cancel, are denormal, tie, or are NaN.
TEST(ConversionTest, SumsOfRandomPatterns) {
  Random random(82);
  for (const DataType data_type : kEveryDataType) {
    for (const NormKind kind : kEveryKind) {
      const Variant variant{.kind = kind, .data_type = data_type, .residual = true, .sum = true};
      for (const int64_t hidden : {1, 16, 100}) {
        Trial trial = MakeTrial(variant, 20'000 / hidden, hidden, random);
        const auto size = static_cast<int64_t>(trial.x.size());
        trial.x = RandomBits(size, random, data_type);
        trial.residual = RandomBits(size, random, data_type);
        for (const Target* target : TargetsHere()) ExpectFusedIsUnfused(*target, trial, variant);
      }
    }
  }
}

}  // namespace
}  // namespace normd
