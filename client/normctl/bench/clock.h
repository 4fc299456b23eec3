// SPDX-License-Identifier: Apache-2.0
//
// The real clock, which SIGINT and SIGTERM interrupt.

#ifndef NORMD_NORMCTL_BENCH_CLOCK_H_
#define NORMD_NORMCTL_BENCH_CLOCK_H_

#include "bench/loop.h"

namespace normd {

class SystemClock : public Clock {
 public:
  SystemClock();  // takes over SIGINT and SIGTERM until it goes; one at a time
  ~SystemClock() override;
  SystemClock(const SystemClock&) = delete;
  SystemClock& operator=(const SystemClock&) = delete;

  uint64_t Now() override;
  void SleepUntil(uint64_t time) override;
  bool Interrupted() override;
};

}  // namespace normd

#endif  // NORMD_NORMCTL_BENCH_CLOCK_H_
