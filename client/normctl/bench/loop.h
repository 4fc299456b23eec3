// SPDX-License-Identifier: Apache-2.0
//
// The closed loop: each worker sends its next call when its last one has been answered. Time is a value here,
// so that tests run it without waiting.

#ifndef NORMD_NORMCTL_BENCH_LOOP_H_
#define NORMD_NORMCTL_BENCH_LOOP_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "normd/client.h"

namespace normd {

// Nanoseconds of a monotonic clock.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual uint64_t Now() = 0;
  // Returns early once the run was interrupted.
  virtual void SleepUntil(uint64_t time) = 0;
  virtual bool Interrupted() = 0;
};

// How long a phase lasts: until each of the bounds that are given was reached, or until any of them was.
struct Extent {
  std::optional<uint64_t> calls = {};
  std::optional<uint64_t> nanoseconds = {};
  bool until_both = false;

  bool Reached(uint64_t calls_begun, uint64_t elapsed) const;
};

// One call that succeeded. Nanoseconds.
struct Sample {
  uint64_t latency = 0;
  CallTimings timings;
};

// What one call came to.
using Call = std::function<absl::Status(CallTimings*)>;

// A phase that workers share: the calls begun count for all of them together, so that 49 calls are 49 calls
// with 50 workers too.
class Phase {
 public:
  Phase(const Extent& extent, uint64_t start) : extent_(extent), start_(start) {}

  // Whether another call is to be sent; counts it.
  bool Begin(uint64_t now);

 private:
  const Extent extent_;
  const uint64_t start_;
  std::atomic<uint64_t> calls_{0};
};

// What one worker saw.
struct Tally {
  std::vector<Sample> samples;
  std::map<absl::StatusCode, uint64_t> errors;
  std::map<absl::StatusCode, std::string> first_error;  // its text
  bool full = false;                                    // ended because max_samples were kept
};

struct Pace {
  uint64_t interval = 0;  // from one call to the next of a worker; a slower call delays the next
  uint64_t max_samples = 0;
  bool until_error = false;  // ends with the first call that fails
};

// Makes calls until the phase is over or the run was interrupted.
Tally RunClosedLoop(const Pace& pace, Phase& phase, Clock& clock, const Call& call);

}  // namespace normd

#endif  // NORMD_NORMCTL_BENCH_LOOP_H_
