// SPDX-License-Identifier: Apache-2.0
//
// The caller's rounding mode and flush-to-zero change no bit, and are as before afterwards.

#include <gtest/gtest.h>

#include "float_control.h"
#include "harness.h"
#include "placed.h"

namespace normd {
namespace {

struct Outcome {
  absl::Status status;
  uint64_t control_after;
};

// Nothing but the two calls runs under the setting: gtest's own arithmetic would suffer from it.
Outcome RunUnder(uint64_t control, const NormParameters& parameters, const NormOptions& options,
                 const NormOperands& operands) {
  const ScopedFloatControl scoped(control);
  const absl::StatusOr<Norm> norm = Norm::Create(parameters, options);
  absl::Status status = norm.ok() ? norm->Run(operands) : norm.status();
  return {std::move(status), ReadFloatControl()};
}

void ExpectSameUnderEveryControl(const Target& target, const Trial& trial, const Variant& variant) {
  const Bits expected = Answer(target, trial);
  const Layout layout;
  for (const uint64_t control : FloatControls()) {
    PlacedOperands operands(trial, layout);
    const Outcome outcome =
        RunUnder(control, trial.parameters.View(trial.hidden), {.target = &target}, operands.View());
    ASSERT_TRUE(outcome.status.ok()) << outcome.status;
    EXPECT_EQ(outcome.control_after, control) << target.name;
    EXPECT_TRUE(SameBits(expected, operands.Outputs()))
        << target.name << ", " << Describe(variant) << ", hidden " << trial.hidden << ", control register "
        << control;
  }
}

// 3 and 7 have inverses that round, 1e-40 is denormal as a float32, and offsets and variances make sums.
TEST(FloatEnvironmentTest, RowsKeepTheirBitsAndTheCallerItsSetting) {
  Random random(50);
  for (const NormKind kind : kEveryKind) {
    for (const DataType data_type : kEveryDataType) {
      const Variant variant = FullVariant(kind, data_type);
      for (const int64_t hidden : {1, 3, 7, 33, 100, 300, 771, 1200}) {
        for (const double epsilon : {1e-5, 0.0, 1e-40}) {
          Trial trial = MakeTrial(variant, kRowKinds, hidden, random);
          trial.parameters.epsilon = epsilon;
          for (const Target* target : TargetsHere()) ExpectSameUnderEveryControl(*target, trial, variant);
        }
      }
    }
  }
}

// These rows' answers are denormal: a thread that flushes to zero would return 0.
TEST(FloatEnvironmentTest, DenormalAnswersStay) {
  for (const Target* target : TargetsHere()) {
    const std::vector<float> x = {1e-41F, -1e-41F, 3e-41F, -3e-41F};
    for (const uint64_t control : FloatControls()) {
      std::vector<float> y(4);
      const Outcome outcome = RunUnder(control, {.hidden = 4, .epsilon = 1.0}, {.target = target},
                                       {.rows = 1, .x = {x.data()}, .y = {y.data()}});
      ASSERT_TRUE(outcome.status.ok()) << outcome.status;
      EXPECT_TRUE(SameBits(BitsOf(x), BitsOf(y))) << target->name << ", control register " << control;
    }
  }
}

}  // namespace
}  // namespace normd
