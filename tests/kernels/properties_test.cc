// SPDX-License-Identifier: Apache-2.0
//
// What holds of every norm whatever its answer is.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness.h"
#include "reference.h"
#include "search.h"

namespace normd {
namespace {

constexpr int64_t kWidths[] = {1, 2, 7, 32, 33, 100, 256, 257, 512, 771, 1024, 2048, 4097};

std::vector<float> Mapped(std::vector<float> values, auto map) {
  for (float& value : values) value = static_cast<float>(map(value));
  return values;
}

// Multiples of 2^-8 up to 1 in magnitude, so that adding 2^10 is exact in float32.
std::vector<float> GridRow(int64_t hidden, Random& random) {
  std::vector<float> row(static_cast<size_t>(hidden));
  for (float& value : row) value = static_cast<float>(random.Below(513) - 256) / 256;
  return row;
}

// Both answers are within the contract of the same exact one.
TEST(PropertiesTest, AConstantAddedChangesLayerNormByNoMoreThanItsError) {
  Random random(90);
  for (const int64_t hidden : kWidths) {
    const Trial row{.hidden = hidden, .x = GridRow(hidden, random)};
    const ExactRow exact(row);
    for (const float constant : {1024.0F, -1024.0F, 3.0F, -0.25F}) {
      Trial moved = row;
      moved.x = Mapped(row.x, [&](float value) { return value + constant; });
      for (const Target* target : TargetsHere()) {
        EXPECT_LE(StrictRowUlp(exact, ValuesOf(Answer(*target, moved).y)), kOrdinaryAllowed)
            << target->name << ", hidden " << hidden << ", constant " << constant;
      }
    }
  }
}

// With a mean of exactly the constant nothing is rounded that was not before.
TEST(PropertiesTest, AConstantAddedToABalancedRowChangesNothing) {
  Random random(91);
  for (const int64_t hidden : {2, 8, 32, 64, 256, 1024, 4096}) {
    Trial row{.hidden = hidden, .x = GridRow(hidden / 2, random)};
    row.x = Mapped(std::vector<float>(static_cast<size_t>(hidden)), [&, i = 0](float) mutable {
      const float value = row.x[static_cast<size_t>(i / 2)];
      return i++ % 2 == 0 ? value : -value;
    });
    for (const Target* target : TargetsHere()) {
      Trial moved = row;
      moved.x = Mapped(row.x, [](float value) { return value + 512; });
      // As values: -0 less 0 is -0, and 512 less 512 is not.
      EXPECT_EQ(ValuesOf(Answer(*target, row).y), ValuesOf(Answer(*target, moved).y))
          << target->name << ", hidden " << hidden;
    }
  }
}

// A factor of the row goes out through rstd, and a power of two moves no bit on the way.
TEST(PropertiesTest, APowerOfTwoChangesNoBitWithoutEpsilon) {
  Random random(92);
  for (const DataType data_type : kEveryDataType) {
    for (const NormKind kind : {NormKind::kLayerNorm, NormKind::kRmsNorm}) {
      for (const int64_t hidden : kWidths) {
        Trial row = MakeTrial({.kind = kind, .data_type = data_type, .gamma = true}, 1, hidden, random);
        row.parameters.epsilon = 0;
        row.x = RoundAll(data_type, GridRow(hidden, random));
        for (const int power : {-6, -1, 1, 9}) {
          Trial scaled = row;
          scaled.x = Mapped(row.x, [power](float value) { return std::ldexp(value, power); });
          for (const Target* target : TargetsHere()) {
            EXPECT_TRUE(SameBits(Answer(*target, row).y, Answer(*target, scaled).y))
                << target->name << ", " << NameOf(kind) << " " << NameOf(data_type) << ", hidden " << hidden
                << ", 2^" << power;
          }
        }
      }
    }
  }
}

// Rounding to nearest knows no sign.
TEST(PropertiesTest, ANegatedRowHasTheNegatedAnswer) {
  Random random(93);
  for (const DataType data_type : kEveryDataType) {
    for (const NormKind kind : {NormKind::kLayerNorm, NormKind::kRmsNorm}) {
      for (const int64_t hidden : kWidths) {
        const Trial row = MakeTrial({.kind = kind, .data_type = data_type, .gamma = true}, 1, hidden, random);
        Trial negated = row;
        negated.x = Mapped(row.x, std::negate<>());
        for (const Target* target : TargetsHere()) {
          const std::vector<float> y = DecodeAll(data_type, Answer(*target, row).y);
          // As values: a zero may have either sign.
          EXPECT_EQ(Mapped(y, std::negate<>()), DecodeAll(data_type, Answer(*target, negated).y))
              << target->name << ", " << NameOf(kind) << " " << NameOf(data_type) << ", hidden " << hidden;
        }
      }
    }
  }
}

// The trial's rows in another order, some of them more than once.
Trial Arranged(const Trial& trial, const std::vector<int64_t>& order) {
  Trial arranged = trial;
  arranged.x.clear();
  arranged.residual.clear();
  for (const int64_t r : order) {
    const Trial row = RowOf(trial, r);
    arranged.x.insert(arranged.x.end(), row.x.begin(), row.x.end());
    arranged.residual.insert(arranged.residual.end(), row.residual.begin(), row.residual.end());
  }
  return arranged;
}

TEST(PropertiesTest, PermutedAndRepeatedRowsHaveTheSameAnswers) {
  Random random(94);
  for (const NormKind kind : kEveryKind) {
    for (const DataType data_type : kEveryDataType) {
      for (const int64_t hidden : {1, 33, 100, 300, 1200}) {
        const Trial trial = MakeTrial(FullVariant(kind, data_type), kRowKinds, hidden, random);
        std::vector<int64_t> order(size_t{3} * kRowKinds);
        for (int64_t& r : order) r = random.Below(kRowKinds);
        const Trial arranged = Arranged(trial, order);
        for (const Target* target : TargetsHere()) {
          const Bits before = Answer(*target, trial);
          const Bits after = Answer(*target, arranged);
          for (size_t at = 0; at < order.size(); ++at) {
            EXPECT_TRUE(
                SameBits(RowOf(before, order[at], hidden), RowOf(after, static_cast<int64_t>(at), hidden)))
                << target->name << ", " << NameOf(kind) << " " << NameOf(data_type) << ", hidden " << hidden;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace normd
