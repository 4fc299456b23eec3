// SPDX-License-Identifier: Apache-2.0
//
// bench_kernels: the kernels against their peers and against memcpy. ./dev bench kernels
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "accuracy.h"
#include "instructions.h"
#include "machine.h"
#include "measure.h"
#include "memory.h"
#include "options.h"
#include "ours.h"
#include "peers.h"
#include "results.h"

namespace normd::bench {
namespace {

bool Wanted(const Contestant& contestant, const std::vector<std::string>& only) {
  if (only.empty() || contestant.name == "ours") return true;
  return std::any_of(only.begin(), only.end(), [&](const std::string& part) {
    return contestant.name.find(part) != std::string::npos;
  });
}

Contestants MakeContestants(const Options& options) {
  Contestants all;
  AddOurs(all);
  AddCopy(all);
  AddPeers(std::filesystem::read_symlink("/proc/self/exe").parent_path(), all);
  std::erase_if(all, [&](const Contestant& contestant) { return !Wanted(contestant, options.only); });
  return all;
}

Memory MakeMemory(const std::vector<Cell>& cells) {
  Cell largest{0, 0};
  int64_t bytes = 0;
  bool residual = false;
  for (const Cell& cell : cells) {
    largest.rows = std::max(largest.rows, cell.rows);
    largest.hidden = std::max(largest.hidden, cell.hidden);
    bytes = std::max(bytes, cell.bytes());
    residual = residual || cell.kind == Kind::kResidual;
  }
  return Memory(bytes, largest.rows, largest.hidden, residual);
}

// The cores, chosen after the peers were loaded: an OpenMP runtime that was loaded on one core alone would
// take the machine for one of one core, and put its second thread to sleep after each call.
Machine Place(Options& options) {
  const std::vector<int> cores = AllowedCores();
  const bool two = std::find(options.threads.begin(), options.threads.end(), 2) != options.threads.end();
  options.measure.core = options.core >= 0 ? options.core : cores.front();
  const auto other =
      std::find_if(cores.begin(), cores.end(), [&](int core) { return core != options.measure.core; });
  if (two && other == cores.end()) throw std::runtime_error("two threads need two cores, and one is allowed");
  options.measure.second_core = two ? *other : options.measure.core;
  std::string placement = "core " + std::to_string(options.measure.core);
  if (two) placement += " (second thread: core " + std::to_string(*other) + ")";
  return {CpuModel(), Caches(options.measure.core), placement, {}};
}

void ShowProgress(const std::string& text) {
  if (isatty(STDERR_FILENO) != 0) std::cerr << "\r" << text << std::flush;
}

Results MeasureSpeed(Contestants contestants, Options& options) {
  Results results{.machine = Place(options),
                  .contestants = std::move(contestants),
                  .cells = {},
                  .rounds = options.measure.rounds,
                  .runs = options.runs};
  const std::vector<Cell> cells = Cells(options);
  Memory memory = MakeMemory(cells);
  std::vector<std::vector<std::vector<Times>>> times(cells.size());
  for (int run = 0; run < options.runs; ++run) {
    PinTo(options.measure.core);
    results.machine.gigahertz.push_back(MeasureGigahertz());
    for (size_t i = 0; i < cells.size(); ++i) {
      ShowProgress("run " + std::to_string(run + 1) + ", cell " + std::to_string(i + 1) + " of " +
                   std::to_string(cells.size()) + "  ");
      times[i].push_back(Measure(results.contestants, cells[i], memory.Fill(cells[i]), options.measure));
    }
  }
  ShowProgress("\n");
  for (size_t i = 0; i < cells.size(); ++i) results.cells.push_back(Summarize(cells[i], times[i]));
  return results;
}

template <typename Report>
void Print(const Report& report, const Options& options) {
  std::cout << Text(report) << std::flush;
  if (options.json.empty()) return;
  std::ofstream file(options.json);
  file << JsonText(report);
  if (!file.flush()) throw std::runtime_error("cannot write " + options.json);
}

void Run(Options& options) {
  Contestants contestants = MakeContestants(options);
  switch (options.mode) {
    case Mode::kSpeed:
      return Print(MeasureSpeed(std::move(contestants), options), options);
    case Mode::kAccuracy:
      return Print(MeasureAccuracy(contestants, options.hidden), options);
    case Mode::kInstructions:
      return CountInstructions(contestants, Cells(options));
  }
}

int Main(int argc, char** argv) {
  CLI::App app{"The kernels against their peers and memcpy."};
  Options options;
  bool quick = false;
  AddOptions(app, options);
  app.add_flag("--quick", quick, "One run of 5 rounds; float32, plain, one thread, six widths unless told");
  CLI11_PARSE(app, argc, argv);
  FillIn(options, quick);
  Run(options);
  return 0;
}

}  // namespace
}  // namespace normd::bench

int main(int argc, char** argv) {
  try {
    return normd::bench::Main(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "bench_kernels: " << error.what() << "\n";
    return 1;
  }
}
