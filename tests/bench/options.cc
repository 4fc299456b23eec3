// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <map>

namespace normd::bench {
namespace {

template <typename T>
void Default(std::vector<T>& values, std::vector<T> otherwise) {
  if (values.empty()) values = std::move(otherwise);
}

}  // namespace

void AddOptions(CLI::App& app, Options& options) {
  const std::map<std::string, Mode> modes{
      {"speed", Mode::kSpeed}, {"accuracy", Mode::kAccuracy}, {"instructions", Mode::kInstructions}};
  const std::map<std::string, Type> types{
      {"f32", Type::kFloat32}, {"bf16", Type::kBfloat16}, {"f16", Type::kFloat16}};
  const std::map<std::string, Kind> kinds{
      {"plain", Kind::kPlain}, {"residual", Kind::kResidual}, {"rms", Kind::kRms}};
  app.add_option("mode", options.mode, "speed (default), accuracy or instructions (under callgrind)")
      ->transform(CLI::CheckedTransformer(modes));
  app.add_option("--rows", options.rows, "Rows of a call: 1,8,64,512,4096")->delimiter(',');
  app.add_option("--hidden", options.hidden, "Values of a row: 64,256,384,768,771,1000,1024,2048,4096,8192")
      ->delimiter(',');
  app.add_option("--types", options.types, "f32,bf16,f16")
      ->delimiter(',')
      ->transform(CLI::CheckedTransformer(types));
  app.add_option("--kinds", options.kinds, "plain,residual,rms")
      ->delimiter(',')
      ->transform(CLI::CheckedTransformer(kinds));
  app.add_option("--threads", options.threads, "1,2")->delimiter(',')->check(CLI::Range(1, 2));
  app.add_option("--only", options.only, "Contestants whose names contain one of these, beside ours")
      ->delimiter(',');
  app.add_option("--rounds", options.measure.rounds, "Rounds of a run")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--runs", options.runs, "Runs of everything, one after the other")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--core", options.core, "Core to run on (the first one allowed)");
  app.add_option("--json", options.json, "Also write the results to this file")->take_last();
}

void FillIn(Options& options, bool quick) {
  if (quick) {
    options.runs = 1;
    options.measure.rounds = 5;
    Default(options.hidden, {64, 384, 768, 1024, 4096, 8192});
  }
  if (options.mode == Mode::kAccuracy) Default(options.hidden, {768, 4096});
  if (options.mode == Mode::kInstructions) {
    Default(options.rows, {1, 64});
    Default(options.hidden, {64, 768, 4096});
  }
  if (quick || options.mode != Mode::kSpeed) {
    Default(options.types, {Type::kFloat32});
    Default(options.kinds, {Kind::kPlain});
    Default(options.threads, {1});
  }
  Default(options.rows, {1, 8, 64, 512, 4096});
  Default(options.hidden, {64, 256, 384, 768, 771, 1000, 1024, 2048, 4096, 8192});
  Default(options.types, {Type::kFloat32, Type::kBfloat16, Type::kFloat16});
  Default(options.kinds, {Kind::kPlain, Kind::kResidual, Kind::kRms});
  Default(options.threads, {1, 2});
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

}  // namespace normd::bench
