// SPDX-License-Identifier: Apache-2.0
//
// Which instructions run: each one of this program's own, seen by the processor's trap flag while rows are
// normalized. AVX-512 encodes its instructions with the prefix EVEX (first byte 0x62), AVX and AVX2 theirs
// with VEX (0xC4, 0xC5), and in 64-bit mode those bytes begin nothing else.

#include <gtest/gtest.h>
#include <signal.h>
#include <ucontext.h>

#include <bit>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "harness.h"

extern "C" const unsigned char __executable_start;  // NOLINT: the linker's names for the program's text
extern "C" const unsigned char etext;

namespace normd {
namespace {

struct Counts {
  int64_t all = 0;
  int64_t vex = 0;
  int64_t evex = 0;
};
Counts counts;

// Shared libraries are left out: the C library copies memory with whatever the CPU has, which is its own
// affair.
void OnTrap(int, siginfo_t*, void* context) {
  const auto address = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
  const auto* instruction = std::bit_cast<const unsigned char*>(address);
  if (instruction < &__executable_start || instruction >= &etext) return;
  ++counts.all;
  counts.evex += *instruction == 0x62;
  counts.vex += *instruction == 0xC4 || *instruction == 0xC5;
}

void SetTrapFlag(bool on) {
  constexpr uint64_t kTrapFlag = 0x100;
  const uint64_t flags = __builtin_ia32_readeflags_u64();
  __builtin_ia32_writeeflags_u64(on ? flags | kTrapFlag : flags & ~kTrapFlag);
}

Counts Trace(const Norm& layer, int64_t rows, std::span<const float> x) {
  struct sigaction action = {};
  action.sa_sigaction = OnTrap;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &action, nullptr);
  counts = {};
  std::vector<float> y(x.size());
  SetTrapFlag(true);
  const absl::Status status = layer.Run({.rows = rows, .x = {x.data()}, .y = {y.data()}});
  SetTrapFlag(false);
  EXPECT_TRUE(status.ok()) << status;
  return counts;
}

constexpr int64_t kHidden = 301;

Counts TraceMixedRows(const Target* target) {
  Random random(70);
  const OwnedParameters parameters = MakeParameters(3, kHidden, random);
  const absl::StatusOr<Norm> layer = Norm::Create(parameters.View(kHidden), {.target = target});
  EXPECT_TRUE(layer.ok()) << layer.status();
  return Trace(*layer, kRowKinds, MixedRows(kRowKinds, kHidden, random));
}

void ExpectOwnInstructions(std::string_view target, const Counts& seen) {
  EXPECT_GT(seen.all, kHidden) << target;
  const std::string counts = absl::StrCat(std::string(target), ": ", seen.evex, " EVEX and ", seen.vex,
                                          " VEX instructions of ", seen.all);
  if (target == "avx512") EXPECT_TRUE(seen.evex > 0 && seen.vex > 0) << counts;
  if (target == "avx2") EXPECT_TRUE(seen.evex == 0 && seen.vex > 0) << counts;
  if (target == "scalar") EXPECT_TRUE(seen.evex == 0 && seen.vex == 0) << counts;
}

TEST(TracedTest, EachTargetRunsItsOwnInstructionsAlone) {
  for (const Target* target : TargetsHere()) ExpectOwnInstructions(target->name, TraceMixedRows(target));
}

// The whole way, from the environment to the rows, as a service takes it.
TEST(TracedTest, TargetOfTheEnvironmentRunsAlone) {
  const std::string_view name = SelectTarget("avx2").ok() ? "avx2" : "scalar";
  ASSERT_EQ(setenv("NORMD_TARGET", name.data(), 1), 0);
  ExpectOwnInstructions(name, TraceMixedRows(nullptr));
}

}  // namespace
}  // namespace normd
