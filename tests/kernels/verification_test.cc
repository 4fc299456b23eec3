// SPDX-License-Identifier: Apache-2.0
//
// Verification must pass what is right and see what is not: targets that are wrong in one way each.

#include "verification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "kernels.h"
#include "trial.h"

namespace normd {
namespace {

constexpr auto kFloatLayerNorm = static_cast<size_t>(Formula::kLayer);

// The scalar target with its layer_norm of float32 replaced.
Kernels ScalarBut(KernelFunction function) {
  Kernels kernels = *Scalar().kernels();
  kernels.functions[kFloatLayerNorm][0] = function;
  return kernels;
}

void RunScalar(const NormCall& call) { Scalar().kernels()->functions[kFloatLayerNorm][0](call); }

// The lowest bit of the last value of y.
const Kernels* OneBitOff() noexcept {
  static const Kernels kernels = ScalarBut([](const NormCall& call) noexcept {
    RunScalar(call);
    call.y.Row(call.rows - 1)[call.hidden * int64_t{sizeof(float)} - sizeof(float)] ^= std::byte{1};
  });
  return &kernels;
}

// One value of each row is wrong, and a plausible number still.
const Kernels* FarOff() noexcept {
  static const Kernels kernels = ScalarBut([](const NormCall& call) noexcept {
    RunScalar(call);
    for (int64_t r = 0; r < call.rows; ++r) std::memset(call.y.Row(r), 0x3F, sizeof(float));
  });
  return &kernels;
}

bool Always() noexcept { return true; }

void ExpectRight(const Verdict& verdict) {
  EXPECT_TRUE(verdict.ok()) << verdict.target->name << ": " << verdict.first_fault;
  EXPECT_EQ(verdict.hashes_equal, verdict.hashes);
  EXPECT_GT(verdict.hashes, 800);
  EXPECT_GT(verdict.rows, 800);
  EXPECT_GT(verdict.worst_row_ulp, 0);
}

// At once, since the exact answers take longer than all targets do.
TEST(VerificationTest, PassesWhatIsRightAndSeesWhatIsNot) {
  const Target one_bit_off = {"one-bit-off", Always, OneBitOff};
  const Target far_off = {"far-off", Always, FarOff};
  std::vector<const Target*> targets = TargetsHere();
  targets.push_back(&one_bit_off);
  targets.push_back(&far_off);
  std::vector<Verdict> verdicts = VerifyTargets(targets);
  const Verdict far = verdicts.back();
  verdicts.pop_back();
  const Verdict near = verdicts.back();
  verdicts.pop_back();
  for (const Verdict& verdict : verdicts) ExpectRight(verdict);
  EXPECT_LT(near.hashes_equal, near.hashes);
  EXPECT_THAT(near.first_fault, testing::HasSubstr("/layer_norm/f32/hidden_1: expected the hash"));
  EXPECT_LE(near.worst_row_ulp, 8);
  EXPECT_FALSE(far.ok());
  EXPECT_GT(far.worst_row_ulp, 8);
}

}  // namespace
}  // namespace normd
