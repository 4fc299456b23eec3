// SPDX-License-Identifier: Apache-2.0
#ifndef NORMD_TESTS_BENCH_SERVICE_REPORT_H_
#define NORMD_TESTS_BENCH_SERVICE_REPORT_H_

#include <optional>
#include <string>
#include <vector>

#include "conditions.h"
#include "contestants.h"
#include "rounds.h"

namespace normd::bench {

struct Report {
  std::string machine;    // processor, caches, kernel
  std::string software;   // gRPC's version and which normd
  std::string placement;  // in words
  Conditions conditions;
  int sittings = 0;
  int rounds = 0;  // in all
  std::vector<Label> contestants;
  std::vector<LatencyCell> latencies;
  std::vector<RateCell> rates;

  // Of a contestant, where it takes part.
  std::optional<size_t> IndexOf(const std::string& name) const;
};

// Two contestants whose quotient says something.
struct Pair {
  const char* over;
  const char* under;
};
inline constexpr Pair kPairs[] = {
    {"normd", "plain"}, {"normd", "echo"}, {"echo", "plain"}, {"normd", "plain+lean"}, {"plain", "raw"}};

std::string Text(const Report& report);
std::string JsonText(const Report& report);

}  // namespace normd::bench

#endif  // NORMD_TESTS_BENCH_SERVICE_REPORT_H_
