// SPDX-License-Identifier: Apache-2.0
//
// What else the machine was doing.

#ifndef NORMD_TESTS_BENCH_SERVICE_CONDITIONS_H_
#define NORMD_TESTS_BENCH_SERVICE_CONDITIONS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace normd::bench {

// Of all processors together, since the machine started.
struct ProcessorTimes {
  int64_t busy = 0;
  int64_t stolen = 0;  // by the host's other guests
  int64_t total = 0;

  static ProcessorTimes Now();
};

struct Conditions {
  double load_average = 0;      // of the minute before
  double others_share = 0;      // of the processors' time, in a moment in which this process slept
  double stolen_share = 0;      // during the run
  double gigahertz_before = 0;  // measured, not what the processor says
  double gigahertz_after = 0;

  // Why its figures are not to be taken at their word; none where they are.
  std::vector<std::string> Warnings() const;
};

// Takes half a second.
Conditions LookAround();

// Fills in what can be told at the end only.
void LookBack(const ProcessorTimes& start, Conditions& conditions);

// "Linux 6.1.0".
std::string Kernel();

}  // namespace normd::bench

#endif  // NORMD_TESTS_BENCH_SERVICE_CONDITIONS_H_
