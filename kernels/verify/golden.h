// SPDX-License-Identifier: Apache-2.0
//
// Hashes of output bits, the same on every target and machine for one kNumericsRevision.
//
// Hashed for a kind, a type, with a residual or without, and a width: five calls, of 1, 2, 3, 5 and 17 rows,
// each MakeTrial of trial.h with everything that the kind may have but given statistics, by one
// Random(hidden) and with the row kinds going on from call to call; epsilon 1e-5 where the width is odd and 0
// where it is even. The hash is the 64-bit FNV-1a of y, then residual_sum, mean and rstd, of one call after
// the other, each value's bits as 4 bytes, low ones first.

#ifndef NORMD_VERIFY_GOLDEN_H_
#define NORMD_VERIFY_GOLDEN_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "normd/target.h"
#include "trial.h"

namespace normd {

struct GoldenCase {
  NormKind kind;
  DataType data_type;
  bool residual;
  int64_t hidden;
};
std::vector<GoldenCase> GoldenCases();

// The text of golden.json: the hashes by path, and the numerics_revision they are of.
std::string_view GoldenJson();

// Its place in the file: "/rms_norm/bf16_residual/hidden_768", a JSON pointer.
std::string GoldenPath(const GoldenCase& golden);

std::vector<Trial> GoldenCalls(const GoldenCase& golden);
// Of all calls, in 16 hexadecimal digits. Errors: those of RunTrial.
absl::StatusOr<std::string> GoldenHash(const Target& target, const std::vector<Trial>& calls,
                                       const Layout& layout = {});
uint64_t Fnv1a(std::span<const uint32_t> values, uint64_t hash);
inline constexpr uint64_t kFnv1aStart = 0xCBF29CE484222325;

}  // namespace normd

#endif  // NORMD_VERIFY_GOLDEN_H_
