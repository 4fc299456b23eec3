// SPDX-License-Identifier: Apache-2.0
//
// bench_kernels: the kernels against their peers and against memcpy. ./dev bench kernels
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>

#include "machine.h"
#include "measure.h"
#include "memory.h"
#include "ours.h"
#include "peers.h"
#include "results.h"

namespace normd::bench {
namespace {

struct Options {
  std::vector<int64_t> rows{1, 8, 64, 512, 4096};
  std::vector<int64_t> hidden{64, 256, 384, 768, 771, 1000, 1024, 2048, 4096, 8192};
  std::vector<Type> types{Type::kFloat32, Type::kBfloat16, Type::kFloat16};
  std::vector<Kind> kinds{Kind::kPlain, Kind::kResidual, Kind::kRms};
  std::vector<int> threads{1, 2};
  std::vector<std::string> peers;
  int runs = 3;
  int core = -1;
  bool quick = false;
  std::string json;
  MeasureOptions measure;
};

void Parse(CLI::App& app, Options& options) {
  const std::map<std::string, Type> types{
      {"f32", Type::kFloat32}, {"bf16", Type::kBfloat16}, {"f16", Type::kFloat16}};
  const std::map<std::string, Kind> kinds{
      {"plain", Kind::kPlain}, {"residual", Kind::kResidual}, {"rms", Kind::kRms}};
  app.add_option("--rows", options.rows, "Rows of a call")->delimiter(',');
  app.add_option("--hidden", options.hidden, "Values of a row")->delimiter(',');
  app.add_option("--types", options.types, "f32, bf16, f16")
      ->delimiter(',')
      ->transform(CLI::CheckedTransformer(types));
  app.add_option("--kinds", options.kinds, "plain, residual, rms")
      ->delimiter(',')
      ->transform(CLI::CheckedTransformer(kinds));
  app.add_option("--threads", options.threads, "1, 2")->delimiter(',')->check(CLI::Range(1, 2));
  app.add_option("--only", options.peers, "Only contestants whose names contain one of these, beside ours")
      ->delimiter(',');
  app.add_option("--rounds", options.measure.rounds, "Rounds of a run");
  app.add_option("--runs", options.runs, "Runs of everything, one after the other");
  app.add_option("--core", options.core, "Core to run on; the first one allowed otherwise");
  app.add_flag("--quick", options.quick, "One run of 5 rounds, float32, plain, one thread, six widths");
  app.add_option("--json", options.json, "Also write the results to this file");
}

void MakeQuick(Options& options) {
  options.runs = 1;
  options.measure.rounds = 5;
  options.hidden = {64, 384, 768, 1024, 4096, 8192};
  options.types = {Type::kFloat32};
  options.kinds = {Kind::kPlain};
  options.threads = {1};
}

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
  std::erase_if(all, [&](const Contestant& contestant) { return !Wanted(contestant, options.peers); });
  return all;
}

std::vector<Cell> Cells(const Options& options) {
  std::vector<Cell> cells;
  for (const int threads : options.threads) {
    for (const Type type : options.types) {
      for (const Kind kind : options.kinds) {
        for (const int64_t rows : options.rows) {
          for (const int64_t hidden : options.hidden) cells.push_back({rows, hidden, type, kind, threads});
        }
      }
    }
  }
  return cells;
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

Results Run(Options& options) {
  Results results{.machine = {}, .contestants = MakeContestants(options), .cells = {}};
  results.machine = Place(options);
  results.rounds = options.measure.rounds;
  results.runs = options.runs;
  const std::vector<Cell> cells = Cells(options);
  Memory memory = MakeMemory(cells);
  std::vector<std::vector<std::vector<Times>>> times(cells.size());
  for (int run = 0; run < options.runs; ++run) {
    PinTo(options.measure.core);
    results.machine.gigahertz.push_back(MeasureGigahertz());
    for (size_t i = 0; i < cells.size(); ++i) {
      if (isatty(STDERR_FILENO) != 0) {
        std::cerr << "\rrun " << run + 1 << " of " << options.runs << ", cell " << i + 1 << " of "
                  << cells.size() << " ";
      }
      times[i].push_back(Measure(results.contestants, cells[i], memory.Fill(cells[i]), options.measure));
    }
  }
  if (isatty(STDERR_FILENO) != 0) std::cerr << "\n";
  for (size_t i = 0; i < cells.size(); ++i) results.cells.push_back(Summarize(cells[i], times[i]));
  return results;
}

int Main(int argc, char** argv) {
  CLI::App app{"The kernels against their peers and memcpy."};
  Options options;
  Parse(app, options);
  CLI11_PARSE(app, argc, argv);
  if (options.quick) MakeQuick(options);
  const Results results = Run(options);
  std::cout << Text(results);
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
