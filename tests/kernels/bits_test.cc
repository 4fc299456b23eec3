// SPDX-License-Identifier: Apache-2.0
//
// Every target gives the bits of the scalar one.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness.h"

namespace normd {
namespace {

constexpr double kEpsilons[] = {1e-5, 0, 1e-12, 1.0};

void ExpectSameAsScalar(std::span<const float> x, int64_t hidden, const OwnedParameters& parameters) {
  const Bits expected = Normalize(Scalar(), x, hidden, parameters);
  for (const Target* target : TargetsHere()) {
    EXPECT_TRUE(SameBits(expected, Normalize(*target, x, hidden, parameters)))
        << target->name << ", hidden " << hidden << ", epsilon " << parameters.epsilon << ", gamma "
        << !parameters.gamma.empty() << ", beta " << !parameters.beta.empty();
  }
}

TEST(BitsTest, ScalarIsTheLastTargetAndRunsHere) {
  EXPECT_EQ(Scalar().name, "scalar");
  EXPECT_TRUE(Scalar().runs_here());
}

// Each kind of row, with each of gamma and beta there or not.
TEST(BitsTest, EveryHidden) {
  Random random(10);
  for (const int64_t hidden : EveryHidden()) {
    const std::vector<float> x = MixedRows(kRowKinds, hidden, random);
    for (int choice = 0; choice < kParameterChoices; ++choice) {
      OwnedParameters parameters = MakeParameters(choice, hidden, random);
      parameters.epsilon = kEpsilons[(hidden + choice) % 4];
      ExpectSameAsScalar(x, hidden, parameters);
    }
  }
}

// Rows near the edges of what the fast path may keep: scales in steps of two octaves from denormals to
// overflow.
TEST(BitsTest, EveryScale) {
  Random random(11);
  for (int exponent = -149; exponent < 128; exponent += 2) {
    for (const int64_t hidden : {1, 5, 33, 100, 257, 384, 1153}) {
      std::vector<float> x(static_cast<size_t>(hidden));
      for (float& value : x) value = std::ldexp(static_cast<float>(random.Bell() / 4), exponent);
      for (const double epsilon : kEpsilons)
        ExpectSameAsScalar(x, hidden, {.gamma = {}, .beta = {}, .epsilon = epsilon});
    }
  }
}

// A band of exponents a row, so that some rows pass the fast path and some are rescued.
TEST(BitsTest, RandomWidthsAndExponents) {
  Random random(12);
  for (int i = 0; i < 300; ++i) {
    const int64_t hidden = 1 + random.Below(3000);
    const int64_t lowest = random.Below(100) - 50;
    std::vector<float> x(static_cast<size_t>(hidden));
    for (float& value : x) {
      value =
          std::ldexp(static_cast<float>(random.Between(-1, 1)), static_cast<int>(lowest + random.Below(40)));
    }
    ExpectSameAsScalar(x, hidden, MakeParameters(i % kParameterChoices, hidden, random));
  }
}

// Which element holds the NaN decides which code sees it: body, tail, or the elements that set the centre.
TEST(BitsTest, NanAtEachPosition) {
  Random random(13);
  for (const int64_t hidden : {1, 2, 3, 31, 33, 50, 129, 300}) {
    const std::vector<float> good = MakeRow(RowKind::kOrdinary, hidden, random);
    for (int64_t i = 0; i < hidden; ++i) {
      for (const float bad :
           {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        std::vector<float> x = good;
        x[static_cast<size_t>(i)] = bad;
        ExpectSameAsScalar(x, hidden, {});
      }
    }
  }
}

}  // namespace
}  // namespace normd
