// SPDX-License-Identifier: Apache-2.0
//
// The dispatch: the table, the wishes it meets, and the ones it does not.

#include "normd/target.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

#include "harness.h"

namespace normd {
namespace {

TEST(TargetTest, NamesAreUniqueAndScalarIsLast) {
  std::set<std::string_view> names;
  for (const Target& target : AllTargets()) {
    EXPECT_TRUE(names.insert(target.name).second) << target.name;
    EXPECT_NE(target.kernels(), nullptr) << target.name;
  }
  EXPECT_EQ(AllTargets().back().name, "scalar");
}

// A build for this processor that lost its wide kernels would pass every test of bits.
TEST(TargetTest, ThisProcessorsTargetsAreInTheTable) {
  std::set<std::string_view> names;
  for (const Target& target : AllTargets()) names.insert(target.name);
#if defined(__x86_64__)
  EXPECT_TRUE(names.contains("avx512"));
  EXPECT_TRUE(names.contains("avx2"));
#elif defined(__aarch64__)
  EXPECT_TRUE(names.contains("neon"));
#endif
}

TEST(TargetTest, NoWishGetsTheBest) {
  const absl::StatusOr<const Target*> best = SelectTarget("");
  ASSERT_TRUE(best.ok()) << best.status();
  EXPECT_EQ(*best, TargetsHere().front());
}

TEST(TargetTest, WishesAreMet) {
  for (const Target* target : TargetsHere()) {
    const absl::StatusOr<const Target*> got = SelectTarget(target->name);
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ(*got, target);
  }
}

TEST(TargetTest, NamesOfThisCpuBestFirst) {
  std::string names;
  for (const Target* target : TargetsHere()) names.append(names.empty() ? "" : ", ").append(target->name);
  EXPECT_EQ(TargetsOfThisCpu(), names);
}

void ExpectUnmet(const absl::StatusOr<const Target*>& got, const std::string& wish) {
  ASSERT_EQ(got.status().code(), absl::StatusCode::kInvalidArgument) << wish;
  const std::string message(got.status().message());
  EXPECT_NE(message.find(wish), std::string::npos) << message;
  EXPECT_NE(message.find(TargetsOfThisCpu()), std::string::npos) << message;
}

TEST(TargetTest, UnmetWishNamesWhatThereIs) {
  for (const std::string wish : {"sse9", "AVX2", "scalar ", "avx", "neon2"})
    ExpectUnmet(SelectTarget(wish), wish);
  for (const Target& target : AllTargets()) {
    if (!target.runs_here()) ExpectUnmet(SelectTarget(target.name), std::string(target.name));
  }
}

TEST(TargetTest, UnmetWishIsEscapedAndCut) {
  const std::string long_one(100000, 'a');
  EXPECT_LT(SelectTarget(long_one).status().message().size(), 500U);
  const std::string message(SelectTarget(std::string("av\0\n\x1b\xff", 6)).status().message());
  for (const char c : message) EXPECT_TRUE(c >= ' ' && c <= '~') << message;
}

// The variable is read once for the process: this test is the only one here that looks at it.
TEST(TargetTest, EnvironmentThatCannotBeMetIsAnError) {
  ASSERT_EQ(setenv("NORMD_TARGET", "sse9", 1), 0);
  ExpectUnmet(DefaultTarget(), "sse9");
  const absl::StatusOr<Norm> norm = Norm::Create({.hidden = 4});
  EXPECT_EQ(norm.status(), DefaultTarget().status());
  ASSERT_EQ(setenv("NORMD_TARGET", "scalar", 1), 0);
  ExpectUnmet(DefaultTarget(), "sse9");
}

}  // namespace
}  // namespace normd
