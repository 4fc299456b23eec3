// SPDX-License-Identifier: Apache-2.0
//
// The accuracy that normd/norm.h promises, against the exact reference. accuracy_search looks longer.

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <iostream>

#include "harness.h"
#include "reference.h"
#include "search.h"

namespace normd {
namespace {

TEST(AccuracyTest, OrdinaryRowsAreWithinTwo) {
  Random random(1);
  for (const int64_t hidden : EveryHidden()) {
    for (int i = 0; i < 3; ++i) {
      const std::vector<float> x = OrdinaryRow(hidden, random);
      const ExactRow exact(x, 1e-5);
      for (const Target* target : TargetsHere()) {
        EXPECT_LE(StrictRowUlp(exact, NormalizedRow(*target, x, {})), kOrdinaryAllowed)
            << target->name << ", hidden " << hidden;
      }
    }
  }
}

TEST(AccuracyTest, GammaAndBetaKeepTheContract) {
  Random random(2);
  for (const int64_t hidden : EveryHidden()) {
    const std::vector<float> x = OrdinaryRow(hidden, random);
    const OwnedParameters parameters = MakeParameters(3, hidden, random);
    const ExactRow exact(x, parameters.epsilon);
    for (const Target* target : TargetsHere()) {
      const std::vector<float> y = NormalizedRow(*target, x, parameters);
      EXPECT_LE(ContractRowUlp(exact, parameters.gamma, parameters.beta, y), kOrdinaryAllowed)
          << target->name << ", hidden " << hidden;
    }
  }
}

// Nothing is asked of a row that is not finite: the reference's statistics are not, either.
void ExpectContract(const std::vector<float>& x, double epsilon) {
  const ExactRow exact(x, epsilon);
  if (!std::isfinite(exact.LargestXhat()) || !std::isfinite(exact.mean())) return;
  for (const Target* target : TargetsHere()) {
    const OwnedParameters parameters{.gamma = {}, .beta = {}, .epsilon = epsilon};
    EXPECT_LE(StrictRowUlp(exact, NormalizedRow(*target, x, parameters)), kWorstAllowed)
        << target->name << ", hidden " << x.size() << ", x[0] " << x[0] << ", epsilon " << epsilon;
  }
}

constexpr double kEpsilons[] = {1e-5, 0};

// Every finite row kind at every width: large bases, denormals, values whose squares overflow, random
// exponents.
TEST(AccuracyTest, HostileRowsKeepTheContract) {
  Random random(3);
  for (const int64_t hidden : EveryHidden()) {
    for (int kind = 0; kind < kRowKinds; ++kind) {
      const std::vector<float> x = MakeRow(static_cast<RowKind>(kind), hidden, random);
      for (const double epsilon : kEpsilons) ExpectContract(x, epsilon);
    }
  }
}

// From denormals to overflow, so that the squares leave float's range at both ends, and by little.
TEST(AccuracyTest, EveryScaleKeepsTheContract) {
  Random random(6);
  for (const int64_t hidden : {2, 5, 33, 300}) {
    for (int exponent = -149; exponent < 128; ++exponent) {
      std::vector<float> x(static_cast<size_t>(hidden));
      for (float& value : x) value = std::ldexp(static_cast<float>(random.Bell() / 4), exponent);
      for (const double epsilon : kEpsilons) ExpectContract(x, epsilon);
    }
  }
}

void ExpectMeanAndRstd(const Target& target, const std::vector<float>& x, double epsilon) {
  const ExactRow exact(x, epsilon);
  const Bits bits =
      Normalize(target, x, static_cast<int64_t>(x.size()), {.gamma = {}, .beta = {}, .epsilon = epsilon});
  const float mean = ValuesOf(bits.mean)[0];
  const float rstd = ValuesOf(bits.rstd)[0];
  const long double row_ulp = 0x1p-23L * exact.LargestXhat() / exact.rstd();
  EXPECT_LE(std::fabs(mean - exact.mean()),
            kWorstAllowed * row_ulp + 0x1p-23L * std::fabs(exact.mean()) + 0x1p-149L)
      << target.name << ", hidden " << x.size();
  EXPECT_LE(std::fabs(rstd - exact.rstd()), kWorstAllowed * 0x1p-23L * exact.rstd())
      << target.name << ", hidden " << x.size();
}

TEST(AccuracyTest, MeanAndRstd) {
  Random random(4);
  for (const int64_t hidden : EveryHidden()) {
    for (const RowKind kind : {RowKind::kOrdinary, RowKind::kLargeBase, RowKind::kOutlier, RowKind::kHuge}) {
      const std::vector<float> x = MakeRow(kind, hidden, random);
      for (const Target* target : TargetsHere()) ExpectMeanAndRstd(*target, x, 1e-5);
    }
  }
}

TEST(AccuracyTest, KnownBadRowsAreWithinEight) {
  for (const Target* target : TargetsHere()) {
    for (const Shape& shape : KnownBadShapes()) {
      EXPECT_LE(Measure(*target, shape), kWorstAllowed) << target->name << ", " << Describe(shape);
    }
  }
}

TEST(AccuracyTest, ShapesReadBack) {
  Random random(5);
  for (int family = 0; family < FamilyCount(); ++family) {
    const std::string text = Describe(RandomShape(family, 1000, random));
    ASSERT_TRUE(ParseShape(text).has_value()) << text;
    EXPECT_EQ(Describe(*ParseShape(text)), text);
  }
  EXPECT_FALSE(ParseShape("no_family,1,1,1,0,0,0,1,0,0").has_value());
}

// Bounded by the values normalized, so that it is the same search on every machine of a kind; each target
// gets its own seed. Where long double is computed in software the reference is some fifty times slower, so
// that less is looked at.
TEST(AccuracyTest, SearchFindsNothingOverEight) {
  constexpr int64_t kElements = LDBL_MANT_DIG > 64 ? 6'000'000 : 40'000'000;
  uint64_t seed = 1;
  for (const Target* target : TargetsHere()) {
    const SearchReport report =
        Search({.target = target, .max_hidden = 16384, .seed = seed++, .done = [](int64_t elements) {
                  return elements >= kElements;
                }});
    const Found worst = report.Worst();
    EXPECT_LE(worst.row_ulp, kWorstAllowed) << target->name << ", " << Describe(worst.shape);
    std::cout << target->name << ": worst of " << report.rows << " rows " << worst.row_ulp << " row-ULP, "
              << Describe(worst.shape) << '\n';
  }
}

}  // namespace
}  // namespace normd
