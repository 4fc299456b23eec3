// SPDX-License-Identifier: Apache-2.0
//
// Addresses, strides and shared memory: they change no bit, nothing outside the rows is written (Answer looks
// at canaries), and nothing outside them is read.

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <span>

#include "harness.h"
#include "placed.h"

namespace normd {
namespace {

std::vector<Variant> FullVariants() {
  std::vector<Variant> all;
  for (const NormKind kind : kEveryKind) {
    for (const DataType data_type : kEveryDataType) all.push_back(FullVariant(kind, data_type));
  }
  return all;
}

void ExpectSameAt(const Trial& trial, const Layout& layout, const Bits& expected, const Variant& variant) {
  for (const Target* target : TargetsHere()) {
    EXPECT_TRUE(SameBits(expected, Answer(*target, trial, layout)))
        << target->name << ", " << Describe(variant) << ", hidden " << trial.hidden << ", "
        << Describe(layout);
  }
}

TEST(PlacementTest, EveryByteOffset) {
  Random random(33);
  for (const Variant& variant : FullVariants()) {
    for (const int64_t hidden : {1, 5, 17, 33, 100, 300, 771}) {
      const Trial trial = MakeTrial(variant, 3, hidden, random, static_cast<int>(hidden % kRowKinds));
      const Bits expected = Answer(Scalar(), trial);
      for (size_t at = 0; at < 64; ++at) {
        const Layout layout{.x = {.offset = at},
                            .residual = {.offset = at * 13 % 64},
                            .y = {.offset = at * 29 % 64},
                            .sum = {.offset = at * 47 % 64},
                            .streaming_bytes = at % 2 == 0 ? std::optional<int64_t>(0) : std::nullopt};
        ExpectSameAt(trial, layout, expected, variant);
      }
    }
  }
}

TEST(PlacementTest, EveryFloatOffsetOfXAndY) {
  Random random(34);
  for (const int64_t hidden : {33, 257}) {
    const Variant variant;
    const Trial trial = MakeTrial(variant, 3, hidden, random);
    const Bits expected = Answer(Scalar(), trial);
    for (size_t at = 0; at < 256; ++at) {
      const Layout layout{.x = {.offset = at % 16 * sizeof(float)}, .y = {.offset = at / 16 * sizeof(float)}};
      ExpectSameAt(trial, layout, expected, variant);
    }
  }
}

// The parameters, each `offset` floats into memory of its own, which `owner` keeps.
NormParameters Moved(const OwnedParameters& from, int64_t hidden, size_t offset, OwnedParameters& owner) {
  NormParameters view = from.View(hidden);
  const auto move = [&](const std::vector<float>& values, std::vector<float>& memory,
                        std::span<const float>& moved) {
    if (values.empty()) return;
    memory.assign(offset, 1e30F);
    memory.insert(memory.end(), values.begin(), values.end());
    moved = std::span(memory).subspan(offset);
  };
  move(from.gamma, owner.gamma, view.gamma);
  move(from.beta, owner.beta, view.beta);
  move(from.running_mean, owner.running_mean, view.running_mean);
  move(from.running_var, owner.running_var, view.running_var);
  return view;
}

TEST(PlacementTest, ParametersAtEveryFloatOffset) {
  Random random(35);
  constexpr int64_t kHidden = 307;
  for (const Variant& variant : FullVariants()) {
    const Trial trial = MakeTrial(variant, 3, kHidden, random);
    for (const Target* target : TargetsHere()) {
      const Bits expected = Answer(*target, trial);
      for (size_t offset = 0; offset < 16; ++offset) {
        OwnedParameters owner;
        const Layout layout;
        PlacedOperands operands(trial, layout);
        const Norm norm = MakeNorm(Moved(trial.parameters, kHidden, offset, owner), {.target = target});
        ASSERT_TRUE(norm.Run(operands.View()).ok());
        EXPECT_TRUE(SameBits(expected, operands.Outputs())) << target->name << ", offset " << offset;
      }
    }
  }
}

constexpr int64_t kWidths[] = {1, 3, 7, 16, 31, 32, 33, 50, 64, 100, 129, 255, 257, 384, 771, 1024, 2050};

// Each output on its own, on x and on the residual, in every pair that does not share one place.
TEST(PlacementTest, OutputsInPlaceOfInputs) {
  Random random(36);
  constexpr Place kPlaces[] = {Place::kOwn, Place::kX, Place::kResidual};
  for (const Variant& variant : FullVariants()) {
    for (const int64_t hidden : kWidths) {
      const Trial trial = MakeTrial(variant, kRowKinds, hidden, random);
      const Bits expected = Answer(Scalar(), trial);
      for (const Place y : kPlaces) {
        for (const Place sum : kPlaces) {
          if (y == sum && y != Place::kOwn) continue;
          ExpectSameAt(trial, {.y_place = y, .sum_place = sum}, expected, variant);
          const Spot odd = {.offset = 3, .gap = 5};
          ExpectSameAt(trial,
                       {.x = odd, .residual = odd, .y_place = y, .sum_place = sum, .streaming_bytes = 0},
                       expected, variant);
        }
      }
    }
  }
}

// x + x: what is only read may be the same memory.
TEST(PlacementTest, ResidualIsX) {
  Random random(37);
  for (Variant variant : FullVariants()) {
    Trial trial = MakeTrial(variant, kRowKinds, 100, random);
    trial.residual = trial.x;
    for (const Target* target : TargetsHere()) {
      const Layout layout{.y_place = Place::kX};
      PlacedOperands operands(trial, layout);
      NormOperands view = operands.View();
      view.residual = view.x;
      ASSERT_TRUE(MakeNorm(trial.parameters.View(100), {.target = target}).Run(view).ok());
      EXPECT_TRUE(SameBits(Answer(*target, trial), operands.Outputs()))
          << target->name << ", " << Describe(variant);
    }
  }
}

TEST(PlacementTest, StridedRows) {
  Random random(38);
  for (const Variant& variant : FullVariants()) {
    for (const int64_t hidden : kWidths) {
      const Trial trial = MakeTrial(variant, kRowKinds, hidden, random);
      const Bits expected = Answer(Scalar(), trial);
      for (const int64_t gap : {int64_t{1}, int64_t{13}, hidden}) {
        ExpectSameAt(trial, {.x = {.gap = gap}, .residual = {.gap = 2 * gap}}, expected, variant);
        ExpectSameAt(trial, {.y = {.gap = gap}, .sum = {.gap = 2 * gap}}, expected, variant);
        ExpectSameAt(trial, {.x = {.gap = gap}, .residual = {}, .y = {.gap = 3}, .sum = {.gap = gap}},
                     expected, variant);
      }
    }
  }
}

TEST(PlacementTest, ZeroRowsTouchNothing) {
  for (const Variant& variant : FullVariants()) {
    Random random(39);
    const OwnedParameters parameters = MakeParameters(variant, 5, random);
    for (const Target* target : TargetsHere()) {
      const Norm norm = MakeNorm(parameters.View(5), {.target = target});
      EXPECT_TRUE(norm.Run({.rows = 0, .data_type = variant.data_type}).ok());
      std::vector<float> y(5, 3.0F);
      EXPECT_TRUE(
          norm.Run({.rows = 0, .data_type = variant.data_type, .x = {y.data()}, .y = {y.data()}}).ok());
      EXPECT_EQ(y, std::vector<float>(5, 3.0F));
    }
  }
}

// A statistic, or the sum, that is not wanted changes nothing of what is.
TEST(PlacementTest, OutputsAreEachOptional) {
  Random random(40);
  for (const Variant& full : FullVariants()) {
    Trial trial = MakeTrial(full, kRowKinds, 100, random);
    const Bits all = Answer(Scalar(), trial);
    for (int choice = 0; choice < 8; ++choice) {
      trial.wants_sum = full.sum && (choice & 1) != 0;
      trial.wants_mean = full.mean && (choice & 2) != 0;
      trial.wants_rstd = full.rstd && (choice & 4) != 0;
      Bits expected = all;
      if (!trial.wants_sum) expected.residual_sum.clear();
      if (!trial.wants_mean) expected.mean.clear();
      if (!trial.wants_rstd) expected.rstd.clear();
      ExpectSameAt(trial, {}, expected, full);
    }
  }
}

}  // namespace
}  // namespace normd
