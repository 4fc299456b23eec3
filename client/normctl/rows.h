// SPDX-License-Identifier: Apache-2.0
//
// Numbers on the command line as rows of tokens.

#ifndef NORMD_NORMCTL_ROWS_H_
#define NORMD_NORMCTL_ROWS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace normd {

struct Rows {
  int64_t hidden = 0;
  std::vector<float> tokens;  // [rows, hidden]
};

// "1,2;3,4" are two rows of two. With a `hidden` other than 0, "1,2,3,4" are as many rows as it gives.
// Errors: InvalidArgument for what is not a number, and for rows of unequal lengths.
absl::StatusOr<Rows> ParseRows(std::string_view text, int64_t hidden);

// "3,5".
// Errors: InvalidArgument for what is not a whole number from 0 on.
absl::StatusOr<std::vector<int64_t>> ParseTokenCounts(std::string_view text);

}  // namespace normd

#endif  // NORMD_NORMCTL_ROWS_H_
