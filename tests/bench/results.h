// SPDX-License-Identifier: Apache-2.0
//
// What the runs came to: for each cell each contestant's time, and that over ours.

#ifndef NORMD_TESTS_BENCH_RESULTS_H_
#define NORMD_TESTS_BENCH_RESULTS_H_

#include <optional>
#include <string>
#include <vector>

#include "contestant.h"
#include "measure.h"

namespace normd::bench {

// Medians over the runs of medians over the rounds.
struct Field {
  double nanoseconds = 0;
  double ratio = 0;        // to ours, in the same round
  double least_ratio = 0;  // over the runs
  double most_ratio = 0;
};

struct CellResult {
  Cell cell;
  std::vector<std::optional<Field>> fields;  // one a contestant
  std::vector<std::string> why_not;          // of the empty ones
  std::optional<double> lab_ratio;           // best peer / ours of the design's prototype

  // The least ratio among the contestants of a part.
  std::optional<double> BestRatio(const Contestants& contestants, Part part) const;
};

// runs[i] is what Measure gave in run i; contestant 0 is ours.
CellResult Summarize(const Cell& cell, const std::vector<std::vector<Times>>& runs);

struct Machine {
  std::string cpu;
  std::string caches;
  std::string placement;          // "core 0" or "cores 0 and 1"
  std::vector<double> gigahertz;  // one a run
};

struct Results {
  Machine machine;
  Contestants contestants;
  std::vector<CellResult> cells;
  int rounds = 0;
  int runs = 0;
};

struct Summary {
  double geometric_mean;
  double worst;  // the least
  Cell worst_cell;
};

// Over the values that there are; empty where there is none.
std::optional<Summary> Summarize(const std::vector<std::pair<Cell, std::optional<double>>>& values);

std::string NameOf(Type type);
std::string NameOf(Kind kind);

std::string Text(const Results& results);
std::string JsonText(const Results& results);

}  // namespace normd::bench

#endif  // NORMD_TESTS_BENCH_RESULTS_H_
