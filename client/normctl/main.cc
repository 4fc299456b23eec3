// SPDX-License-Identifier: Apache-2.0
#include "absl/synchronization/mutex.h"
#include "command.h"

int main(int argc, char** argv) {
  // Debian builds abseil with the search for lock-order cycles on, which is a twentieth of a small call.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  return normd::RunNormctl(argc, argv);
}
