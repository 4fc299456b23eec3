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

// layer_norm's four ways to have or lack gamma and beta.
inline constexpr int kParameterChoices = 4;
OwnedParameters MakeParameters(int choice, int64_t hidden, Random& random);

// A layer that the test knows to be valid.
Norm MakeNorm(const NormParameters& parameters, const NormOptions& options);

// RunTrial, whose errors fail the test.
Bits Answer(const Target& target, const Trial& trial, const Layout& layout = {});

// layer_norm of float32 rows with everything asked for, and of one row alone.
Bits Normalize(const Target& target, std::span<const float> x, int64_t hidden,
               const OwnedParameters& parameters);
std::vector<float> NormalizedRow(const Target& target, std::span<const float> x,
                                 const OwnedParameters& parameters);

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
