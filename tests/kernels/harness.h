// SPDX-License-Identifier: Apache-2.0
//
// What every test of the kernels does: run one target over rows, and compare bits.

#ifndef NORMD_TESTS_KERNELS_HARNESS_H_
#define NORMD_TESTS_KERNELS_HARNESS_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data_types.h"
#include "normd/norm.h"
#include "normd/target.h"
#include "rows.h"
#include "trial.h"

namespace normd {

// The targets this CPU runs. Tests loop over them, so that a new target is tested without a change here.
std::vector<const Target*> TargetsHere();
const Target& Scalar();

// layer_norm's four ways to have or lack gamma and beta.
inline constexpr int kParameterChoices = 4;
OwnedParameters MakeParameters(int choice, int64_t hidden, Random& random);

// What came out of a call, each value as the bits of its type; empty where it was not wanted.
struct Bits {
  std::vector<uint32_t> y;
  std::vector<uint32_t> residual_sum = {};
  std::vector<uint32_t> mean = {};
  std::vector<uint32_t> rstd = {};
};

// A layer that the test knows to be valid.
Norm MakeNorm(const NormParameters& parameters, const NormOptions& options);

// Runs the trial. A failure of Run fails the test, and so does a byte written outside the outputs: between
// rows and around them lie canaries, and inputs are held against what they were.
Bits Answer(const Target& target, const Trial& trial, const Layout& layout = {});

// layer_norm of float32 rows with everything asked for, and of one row alone.
Bits Normalize(const Target& target, std::span<const float> x, int64_t hidden,
               const OwnedParameters& parameters);
std::vector<float> NormalizedRow(const Target& target, std::span<const float> x,
                                 const OwnedParameters& parameters);

std::vector<uint32_t> BitsOf(std::span<const float> values);
std::vector<float> ValuesOf(std::span<const uint32_t> bits);
// One row's part of a batch's bits.
Bits RowOf(const Bits& batch, int64_t row, int64_t hidden);

// Success, or the first difference and its place.
testing::AssertionResult SameBits(std::span<const uint32_t> expected, std::span<const uint32_t> got);
testing::AssertionResult SameBits(const Bits& expected, const Bits& got);

// The NaN that the kernels write.
inline constexpr uint32_t kCanonicalNan = 0x7FC00000;
uint32_t CanonicalNanOf(DataType data_type);

}  // namespace normd

#endif  // NORMD_TESTS_KERNELS_HARNESS_H_
