// SPDX-License-Identifier: Apache-2.0
//
// Hashes of output bits, the same on every target and machine for one kNumericsRevision.
//
// Hashed for layer_norm, f32 and a width: 11 rows, MixedRows of rows.h by Random(hidden), with gamma and beta
// by the same Random after them, epsilon 1e-5 where the width is odd and 0 where it is even; the 64-bit
// FNV-1a of the little-endian bytes of y, then mean, then rstd.

#ifndef NORMD_TESTS_KERNELS_GOLDEN_H_
#define NORMD_TESTS_KERNELS_GOLDEN_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "normd/target.h"

namespace normd {

std::vector<int64_t> GoldenWidths();
std::string GoldenHash(const Target& target, int64_t hidden);  // 16 hexadecimal digits
uint64_t Fnv1a(std::span<const uint32_t> values, uint64_t hash);
inline constexpr uint64_t kFnv1aStart = 0xCBF29CE484222325;

// The name of a width in the file: "hidden_768".
std::string GoldenKey(int64_t hidden);

}  // namespace normd

#endif  // NORMD_TESTS_KERNELS_GOLDEN_H_
