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
#include "placed.h"

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

Counts Trace(const Norm& norm, const NormOperands& operands) {
  struct sigaction action = {};
  action.sa_sigaction = OnTrap;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &action, nullptr);
  counts = {};
  SetTrapFlag(true);
  const absl::Status status = norm.Run(operands);
  SetTrapFlag(false);
  EXPECT_TRUE(status.ok()) << status;
  return counts;
}

constexpr int64_t kHidden = 301;

Counts TraceMixedRows(const Target* target, const Variant& variant, int64_t rows, int64_t hidden) {
  Random random(70);
  const Trial trial = MakeTrial(variant, rows, hidden, random);
  const absl::StatusOr<Norm> norm = Norm::Create(trial.parameters.View(hidden), {.target = target});
  EXPECT_TRUE(norm.ok()) << norm.status();
  const Layout layout;
  PlacedOperands operands(trial, layout);
  return Trace(*norm, operands.View());
}

void ExpectOwnInstructions(std::string_view target, const Counts& seen) {
  EXPECT_GT(seen.all, 1000) << target;
  const std::string text = absl::StrCat(std::string(target), ": ", seen.evex, " EVEX and ", seen.vex,
                                        " VEX instructions of ", seen.all);
  if (target.starts_with("avx512")) EXPECT_TRUE(seen.evex > 0 && seen.vex > 0) << text;
  if (target == "avx2") EXPECT_TRUE(seen.evex == 0 && seen.vex > 0) << text;
  if (target == "scalar") EXPECT_TRUE(seen.evex == 0 && seen.vex == 0) << text;
}

constexpr Variant kVariant = {.gamma = true, .beta = true};

TEST(TracedTest, EachTargetRunsItsOwnInstructionsAlone) {
  for (const Target* target : TargetsHere())
    ExpectOwnInstructions(target->name, TraceMixedRows(target, kVariant, kRowKinds, kHidden));
}

// Few and narrow ones, since each instruction is a trap.
TEST(TracedTest, InEachKindAndType) {
  for (const NormKind kind : kEveryKind) {
    for (const DataType data_type : kEveryDataType) {
      for (const Target* target : TargetsHere())
        ExpectOwnInstructions(target->name, TraceMixedRows(target, FullVariant(kind, data_type), 3, 37));
    }
  }
}

// The whole way, from the environment to the rows, as a service takes it.
TEST(TracedTest, TargetOfTheEnvironmentRunsAlone) {
  const std::string_view name = SelectTarget("avx2").ok() ? "avx2" : "scalar";
  ASSERT_EQ(setenv("NORMD_TARGET", name.data(), 1), 0);
  ExpectOwnInstructions(name, TraceMixedRows(nullptr, kVariant, kRowKinds, kHidden));
}

}  // namespace
}  // namespace normd
