// SPDX-License-Identifier: Apache-2.0
#ifndef NORMD_TESTS_BENCH_OPTIONS_H_
#define NORMD_TESTS_BENCH_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "contestant.h"
#include "measure.h"

namespace normd::bench {

enum class Mode { kSpeed, kAccuracy, kInstructions };

struct Options {
  Mode mode = Mode::kSpeed;
  std::vector<int64_t> rows;
  std::vector<int64_t> hidden;
  std::vector<Type> types;
  std::vector<Kind> kinds;
  std::vector<int> threads;
  std::vector<std::string> only;  // parts of contestants' names; none: all
  int runs = 3;
  int core = -1;  // none given
  std::string json;
  MeasureOptions measure;
};

void AddOptions(CLI::App& app, Options& options);

// What was not given, by mode.
void FillIn(Options& options, bool quick);

std::vector<Cell> Cells(const Options& options);

}  // namespace normd::bench

#endif  // NORMD_TESTS_BENCH_OPTIONS_H_
