// SPDX-License-Identifier: Apache-2.0

#ifndef NORMD_TESTS_KERNELS_REFUSAL_H_
#define NORMD_TESTS_KERNELS_REFUSAL_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace normd {

// Whether the status is InvalidArgument with a text that has all of `parts`.
inline testing::AssertionResult Refused(const absl::Status& status, const std::vector<std::string>& parts) {
  if (status.code() != absl::StatusCode::kInvalidArgument)
    return testing::AssertionFailure() << "got " << status;
  for (const std::string& part : parts) {
    if (status.message().find(part) == absl::string_view::npos) {
      return testing::AssertionFailure() << "no \"" << part << "\" in: " << status;
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace normd

#endif  // NORMD_TESTS_KERNELS_REFUSAL_H_
