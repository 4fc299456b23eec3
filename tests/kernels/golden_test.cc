// SPDX-License-Identifier: Apache-2.0
//
// The bits of this build are those that were checked in, on every target this CPU has.

#include "golden.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "harness.h"

namespace normd {
namespace {

nlohmann::json GoldenFile() {
  std::ifstream file(NORMD_KERNELS_TEST_DATA "/golden.json");
  return nlohmann::json::parse(file);
}

TEST(GoldenTest, FileIsOfThisRevision) {
  EXPECT_EQ(GoldenFile().at("numerics_revision"), kNumericsRevision)
      << "a change of bits raises kNumericsRevision and rewrites data/golden.json (data/README.md)";
}

TEST(GoldenTest, EveryTargetGivesTheHashesOfTheFile) {
  const nlohmann::json hashes = GoldenFile().at("layer_norm").at("f32");
  EXPECT_EQ(hashes.size(), GoldenWidths().size());
  for (const Target* target : TargetsHere()) {
    for (const int64_t hidden : GoldenWidths()) {
      EXPECT_EQ(hashes.at(GoldenKey(hidden)), GoldenHash(*target, hidden))
          << target->name << ", hidden " << hidden;
    }
  }
}

// The published vectors of the hash: it must not drift with the code that uses it.
TEST(GoldenTest, HashIsFnv1a) {
  EXPECT_EQ(Fnv1a({}, kFnv1aStart), 0xCBF29CE484222325U);
  const uint32_t text = 'f' | 'o' << 8 | 'o' << 16 | 'b' << 24;
  EXPECT_EQ(Fnv1a(std::span(&text, 1), kFnv1aStart), 0xDD120E790C2512AFU);
}

// One flipped bit in one value has to show.
TEST(GoldenTest, HashSeesOneBit) {
  std::vector<uint32_t> values(100, 7);
  const uint64_t before = Fnv1a(values, kFnv1aStart);
  values[63] ^= 1;
  EXPECT_NE(Fnv1a(values, kFnv1aStart), before);
}

}  // namespace
}  // namespace normd
