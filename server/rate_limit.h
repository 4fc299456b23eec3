// SPDX-License-Identifier: Apache-2.0
#ifndef NORMD_SERVER_RATE_LIMIT_H_
#define NORMD_SERVER_RATE_LIMIT_H_

#include <cstdint>
#include <utility>

#include "call.h"

namespace normd {

// So many in a second, and how many more there were. Not for two threads at once.
class RateLimit {
 public:
  explicit RateLimit(int per_second) : per_second_(per_second) {}

  // Whether one more may go at `now`; counts it where it may not.
  bool Allow(Clock::time_point now) {
    if (now - begin_ >= std::chrono::seconds(1) || left_ < 0) {
      begin_ = now;
      left_ = per_second_;
    }
    if (left_ == 0) {
      ++suppressed_;
      return false;
    }
    --left_;
    return true;
  }

  // How many might not since the last time that this was asked.
  uint64_t TakeSuppressed() { return std::exchange(suppressed_, 0); }

 private:
  int per_second_;
  int left_ = -1;  // in the second that starts at begin_; below 0: none has started
  Clock::time_point begin_;
  uint64_t suppressed_ = 0;
};

}  // namespace normd

#endif  // NORMD_SERVER_RATE_LIMIT_H_
