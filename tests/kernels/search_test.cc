// SPDX-License-Identifier: Apache-2.0
//
// The search for the worst row, for a bounded time; accuracy_search looks longer.

#include "search.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <iostream>

#include "harness.h"
#include "reference.h"

namespace normd {
namespace {

// The kinds that add a row's values up.
constexpr NormKind kSearched[] = {NormKind::kLayerNorm, NormKind::kRmsNorm};

TEST(SearchTest, KnownBadRowsAreWithinEight) {
  for (const Target* target : TargetsHere()) {
    for (const NormKind kind : kSearched) {
      for (const DataType data_type : kEveryDataType) {
        for (const Shape& shape : KnownBadShapes()) {
          EXPECT_LE(Measure({target, kind, data_type}, shape), kWorstAllowed)
              << target->name << ", " << NameOf(kind) << " " << NameOf(data_type) << ", " << Describe(shape);
        }
      }
    }
  }
}

TEST(SearchTest, ShapesReadBack) {
  Random random(5);
  for (int family = 0; family < FamilyCount(); ++family) {
    const std::string text = Describe(RandomShape(family, 1000, random));
    ASSERT_TRUE(ParseShape(text).has_value()) << text;
    EXPECT_EQ(Describe(*ParseShape(text)), text);
  }
  EXPECT_FALSE(ParseShape("no_family,1,1,1,0,0,0,1,0,0").has_value());
}

// Most of it where rows are furthest off: rounding to 16 bits hides almost all of that.
int64_t ElementsOf(const Subject& subject) {
  constexpr int64_t kElements = LDBL_MANT_DIG > 64 ? 500'000 : 3'000'000;
  if (subject.data_type != DataType::kFloat32) return kElements / 3;
  return subject.kind == NormKind::kLayerNorm ? 4 * kElements : 2 * kElements;
}

void ExpectFindsNothing(const Subject& subject, uint64_t seed) {
  const auto done = [&](int64_t elements) { return elements >= ElementsOf(subject); };
  const SearchReport report = Search({.subject = subject, .max_hidden = 16384, .seed = seed, .done = done});
  const Found worst = report.Worst();
  EXPECT_LE(worst.row_ulp, kWorstAllowed) << subject.target->name << ", " << Describe(worst.shape);
  std::cout << subject.target->name << " " << NameOf(subject.kind) << " " << NameOf(subject.data_type)
            << ": worst of " << report.rows << " rows " << worst.row_ulp << " row-ULP, "
            << Describe(worst.shape) << '\n';
}

// Bounded by the values normalized, so that it is the same search on every machine of a kind; each target
// gets its own seed. Where long double is computed in software the reference is some fifty times slower, so
// that less is looked at.
TEST(SearchTest, FindsNothingOverEight) {
  uint64_t seed = 1;
  for (const Target* target : TargetsHere()) {
    for (const NormKind kind : kSearched) {
      for (const DataType data_type : kEveryDataType) ExpectFindsNothing({target, kind, data_type}, seed++);
    }
  }
}

}  // namespace
}  // namespace normd
