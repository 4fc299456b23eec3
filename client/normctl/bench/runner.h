// SPDX-License-Identifier: Apache-2.0
//
// Runs a load test against a server.

#ifndef NORMD_NORMCTL_BENCH_RUNNER_H_
#define NORMD_NORMCTL_BENCH_RUNNER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bench/loop.h"
#include "bench/plan.h"

namespace normd {

enum class EndReason { kDone, kInterrupted, kFull };

struct BenchResult {
  Tally tally = {};      // of all workers
  uint64_t elapsed = 0;  // nanoseconds of the measured phase
  EndReason end_reason = EndReason::kDone;
  std::string server;     // its version and target, or why it did not say
  std::string placement;  // of this process
};

// Samples kept over all workers, about 64 bytes each; at that many the run ends and the report says so.
inline constexpr uint64_t kMaxSamples = 5'000'000;

// Errors: those of Client::Connect.
absl::StatusOr<BenchResult> RunBench(const BenchPlan& plan, Clock& clock);

// "pinned to 1 of 2 CPUs" or "unpinned, 2 CPUs".
std::string Placement();

}  // namespace normd

#endif  // NORMD_NORMCTL_BENCH_RUNNER_H_
