// SPDX-License-Identifier: Apache-2.0
//
// How much may be in flight at once, over all listeners and pollers.

#ifndef NORMD_SERVER_ADMISSION_H_
#define NORMD_SERVER_ADMISSION_H_

#include <atomic>
#include <chrono>
#include <cstdint>

#include "absl/status/status.h"

namespace normd {

// What a client that is turned away for a lack of room is told to wait.
inline constexpr std::chrono::milliseconds kRetryAfter(100);

class Admission {
 public:
  Admission(int64_t max_requests, int64_t max_bytes) : max_requests_(max_requests), max_bytes_(max_bytes) {}

  // From any thread. Takes room for one request of `bytes` until Leave, or none.
  // Errors: ResourceExhausted that names the limit and its flag.
  absl::Status Enter(int64_t bytes);
  void Leave(int64_t bytes);

  int64_t requests() const { return requests_; }
  int64_t bytes() const { return bytes_; }

 private:
  const int64_t max_requests_;
  const int64_t max_bytes_;
  std::atomic<int64_t> requests_ = 0;
  std::atomic<int64_t> bytes_ = 0;
};

}  // namespace normd

#endif  // NORMD_SERVER_ADMISSION_H_
