// SPDX-License-Identifier: Apache-2.0
//
// Interleaved timing: each round times every contestant once, in an order of its own, so that whatever drifts
// drifts for all. What is compared is a ratio within a round.

#ifndef NORMD_TESTS_BENCH_MEASURE_H_
#define NORMD_TESTS_BENCH_MEASURE_H_

#include <string>
#include <vector>

#include "contestant.h"

namespace normd::bench {

struct MeasureOptions {
  int rounds = 15;
  double turn_nanoseconds = 1.5e6;  // what one contestant's turn is to last; at least one call
  int core = 0;
  int second_core = 0;  // where the second thread of a cell with two runs
};

// The times of one contestant in one cell: nanoseconds a call, one a round; empty, with the reason, where it
// has no such operation.
struct Times {
  std::vector<double> rounds;
  std::string why_not;

  bool empty() const { return rounds.empty(); }
};

// One entry a contestant.
std::vector<Times> Measure(const Contestants& contestants, const Cell& cell, const Buffers& buffers,
                           const MeasureOptions& options);

double Median(std::vector<double> values);

// The median of times[i] / base[i], over the rounds. NaN where either is empty.
double MedianRatio(const Times& times, const Times& base);

}  // namespace normd::bench

#endif  // NORMD_TESTS_BENCH_MEASURE_H_
