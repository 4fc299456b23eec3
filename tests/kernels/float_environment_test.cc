// SPDX-License-Identifier: Apache-2.0
//
// The caller's rounding mode and flush-to-zero change no bit, and are as before afterwards.

#include <gtest/gtest.h>

#include "float_control.h"
#include "harness.h"

namespace normd {
namespace {

struct Outcome {
  absl::Status status;
  uint64_t control_after;
};

// Nothing but the call runs under the setting: gtest's own arithmetic would suffer from it.
Outcome RunUnder(uint64_t control, const Norm& layer, const NormOperands& operands) {
  const ScopedFloatControl scoped(control);
  absl::Status status = layer.Run(operands);
  return {std::move(status), ReadFloatControl()};
}

void ExpectSameUnderEveryControl(const Target& target, int64_t hidden, const OwnedParameters& parameters,
                                 Random& random) {
  const std::vector<float> x = MixedRows(kRowKinds, hidden, random);
  const Bits expected = Normalize(target, x, hidden, parameters);
  const Norm layer = MakeLayer(parameters.View(hidden), target);
  for (const uint64_t control : FloatControls()) {
    std::vector<float> y(x.size());
    std::vector<float> mean(kRowKinds);
    std::vector<float> rstd(kRowKinds);
    const Outcome outcome = RunUnder(
        control, layer,
        {.rows = kRowKinds, .x = {x.data()}, .y = {y.data()}, .mean = mean.data(), .rstd = rstd.data()});
    ASSERT_TRUE(outcome.status.ok()) << outcome.status;
    EXPECT_EQ(outcome.control_after, control) << target.name;
    EXPECT_TRUE(SameBits(expected, {BitsOf(y), BitsOf(mean), BitsOf(rstd)}))
        << target.name << ", hidden " << hidden << ", control register " << control;
  }
}

TEST(FloatEnvironmentTest, RowsKeepTheirBitsAndTheCallerItsSetting) {
  Random random(50);
  for (const Target* target : TargetsHere()) {
    for (const int64_t hidden : {1, 2, 7, 33, 100, 300, 771, 1024}) {
      for (const double epsilon : {1e-5, 0.0}) {
        OwnedParameters parameters = MakeParameters(3, hidden, random);
        parameters.epsilon = epsilon;
        ExpectSameUnderEveryControl(*target, hidden, parameters, random);
      }
    }
  }
}

// These rows' answers are denormal: a thread that flushes to zero would return 0.
TEST(FloatEnvironmentTest, DenormalAnswersStay) {
  for (const Target* target : TargetsHere()) {
    const std::vector<float> x = {1e-41F, -1e-41F, 3e-41F, -3e-41F};
    const Norm layer = MakeLayer({.hidden = 4, .gamma = {}, .beta = {}, .epsilon = 1.0}, *target);
    for (const uint64_t control : FloatControls()) {
      std::vector<float> y(4);
      ASSERT_TRUE(RunUnder(control, layer, {.rows = 1, .x = {x.data()}, .y = {y.data()}}).status.ok());
      EXPECT_TRUE(SameBits(BitsOf(x), BitsOf(y))) << target->name << ", control register " << control;
    }
  }
}

}  // namespace
}  // namespace normd
