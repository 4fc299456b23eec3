// SPDX-License-Identifier: Apache-2.0
//
// The dictionary in a .npy file's header: a Python literal, of which this reads the part that headers use.

#ifndef NORMD_NORMCTL_NPY_HEADER_H_
#define NORMD_NORMCTL_NPY_HEADER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace normd {

struct NpyDictionary {
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<int64_t>> shape;  // not negative, at most 32 dimensions
};

// Reads "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }": keys in any order, each at most once,
// no others. Errors: InvalidArgument that names the byte and what was expected there.
absl::StatusOr<NpyDictionary> ParseNpyDictionary(std::string_view text);

}  // namespace normd

#endif  // NORMD_NORMCTL_NPY_HEADER_H_
