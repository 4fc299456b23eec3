// SPDX-License-Identifier: Apache-2.0
#ifndef NORMD_SECURITY_SMALL_FILE_H_
#define NORMD_SECURITY_SMALL_FILE_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"

namespace normd {

// A path as it is shown: cut and escaped.
std::string ShownPath(const std::string& path);

// All of a regular file.
// Errors: InvalidArgument that names the file and why it cannot be read, which it cannot where it
// has more than `max_bytes`.
absl::StatusOr<std::string> ReadSmallFile(const std::string& path, size_t max_bytes);

}  // namespace normd

#endif  // NORMD_SECURITY_SMALL_FILE_H_
