// SPDX-License-Identifier: Apache-2.0
//
// What a load test found, as text for people and as JSON for programs.

#ifndef NORMD_NORMCTL_BENCH_REPORT_H_
#define NORMD_NORMCTL_BENCH_REPORT_H_

#include <cstdint>
#include <string>

#include "bench/plan.h"
#include "bench/runner.h"
#include "bench/statistics.h"

namespace normd {

// Limits that the report of a paced run counts calls above, in nanoseconds.
inline constexpr uint64_t kSlow = 5'000'000;
inline constexpr uint64_t kVerySlow = 20'000'000;

// The numbers that both forms state. All of them are of the calls that succeeded.
struct Report {
  Report(const BenchPlan& plan, const BenchResult& result);

  const BenchPlan& plan;
  const BenchResult& result;
  Distribution latency;
  Distribution server;     // from the whole request in the server to the finished answer
  Distribution queue;      // within it: before the work began
  Distribution compute;    // within it: the kernels
  Distribution client;     // encoding and decoding here
  Distribution transport;  // the rest: gRPC, the kernel's sockets, the scheduler
  uint64_t errors = 0;
  double throughput = 0;  // calls a second
};

std::string ReportText(const Report& report);
std::string ReportJson(const Report& report);

// 0; 4 where calls failed or none succeeded; 130 where the run was interrupted.
int ExitCode(const Report& report);

}  // namespace normd

#endif  // NORMD_NORMCTL_BENCH_REPORT_H_
