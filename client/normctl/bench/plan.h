// SPDX-License-Identifier: Apache-2.0
//
// What a load test was asked to do.

#ifndef NORMD_NORMCTL_BENCH_PLAN_H_
#define NORMD_NORMCTL_BENCH_PLAN_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "bench/loop.h"
#include "bench/statistics.h"
#include "normd/client.h"

namespace normd {

struct BenchPlan {
  std::string address;
  Security security = {};
  Extent warmup;
  Extent measured;
  int64_t concurrency = 1;
  int64_t tokens = 1;
  int64_t hidden = 768;
  std::string layer;
  uint64_t interval = 0;  // nanoseconds
  uint64_t timeout = 0;   // nanoseconds
  std::vector<Percentile> percentiles;
  uint64_t seed = 0;
};

// The options as they were written.
struct BenchFlags {
  std::string address = {};
  Security security = {};
  uint64_t total = 0;  // 0: not given
  std::string duration = {};
  std::string warmup = {};
  int64_t concurrency = 1;
  int64_t tokens = 1;
  int64_t hidden = 768;
  std::string layer = "layer_norm";
  std::string interval = "0";
  std::string timeout = "10s";
  std::string percentiles = "50,90,99,99.9";
  uint64_t seed = 1;
};

// Errors: InvalidArgument that names the flag, what it was given and what it takes.
absl::StatusOr<BenchPlan> MakePlan(const BenchFlags& flags);

// "10s", "500ms", "250us", "1m30s" or "0".
absl::StatusOr<uint64_t> ParseNanoseconds(std::string_view flag, std::string_view text);

// The line that says what was understood.
std::string Describe(const BenchPlan& plan);

// "TCP", "TLS on TCP" or "a Unix socket".
std::string_view Transport(const BenchPlan& plan);

}  // namespace normd

#endif  // NORMD_NORMCTL_BENCH_PLAN_H_
