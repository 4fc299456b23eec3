// SPDX-License-Identifier: Apache-2.0
#ifndef NORMD_SERVER_SELF_TEST_H_
#define NORMD_SERVER_SELF_TEST_H_

#include "absl/status/status.h"
#include "normd/target.h"

namespace normd {

// Normalizes known rows and compares every bit with the scalar target's, which all targets promise to match,
// and the worked example with its digits. Errors: Internal that names the target and the row.
absl::Status SelfTest(const Target& target);

}  // namespace normd

#endif  // NORMD_SERVER_SELF_TEST_H_
