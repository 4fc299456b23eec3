// SPDX-License-Identifier: Apache-2.0
//
// The bits of this build are those that were checked in, on every target this CPU has.

#include "golden.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness.h"

namespace normd {
namespace {

nlohmann::json GoldenFile() { return nlohmann::json::parse(GoldenJson()); }

TEST(GoldenTest, FileIsOfThisRevision) {
  EXPECT_EQ(GoldenFile().at("numerics_revision"), kNumericsRevision)
      << "a change of bits raises kNumericsRevision and rewrites golden.json (CONTRIBUTING.md)";
}

TEST(GoldenTest, FileHasEachCaseAndNoOther) {
  nlohmann::json file = GoldenFile();
  file.erase("numerics_revision");
  EXPECT_EQ(file.flatten().size(), GoldenCases().size());
}

void ExpectHash(const std::string& expected, const Target& target, const std::vector<Trial>& calls,
                const Layout& layout, const std::string& path) {
  const absl::StatusOr<std::string> hash = GoldenHash(target, calls, layout);
  ASSERT_TRUE(hash.ok()) << hash.status();
  EXPECT_EQ(expected, *hash) << target.name << ", " << path << ", " << layout.tasks << " tasks, "
                             << Describe(layout);
}

// Plainly and, in turn, by two tasks that store past the caches or by seven in place at odd addresses.
TEST(GoldenTest, EveryTargetGivesTheHashesOfTheFile) {
  constexpr Layout kLayouts[] = {
      {.tasks = 2, .streaming_bytes = 0},
      {.x = {.offset = 1}, .y_place = Place::kX, .tasks = 7, .streaming_bytes = 0}};
  const nlohmann::json file = GoldenFile();
  size_t turn = 0;
  for (const GoldenCase& golden : GoldenCases()) {
    const std::string path = GoldenPath(golden);
    const std::string expected = file.at(nlohmann::json::json_pointer(path));
    const std::vector<Trial> calls = GoldenCalls(golden);
    const Layout& layout = kLayouts[turn++ % 2];
    for (const Target* target : TargetsHere()) {
      ExpectHash(expected, *target, calls, {}, path);
      ExpectHash(expected, *target, calls, layout, path);
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
