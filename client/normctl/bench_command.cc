// SPDX-License-Identifier: Apache-2.0
//
// normctl bench
#include <fstream>
#include <iostream>
#include <memory>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "bench/clock.h"
#include "bench/plan.h"
#include "bench/report.h"
#include "bench/runner.h"
#include "command.h"

namespace normd {
namespace {

constexpr char kFooter[] = R"(
One call at a time is the default: the latency of batch size 1.

  normctl bench 127.0.0.1:8001 -z 10s
  normctl bench unix:/run/normd.sock -n 100 --interval 1.5s

Exit codes: 0 fine, 1 usage or connection, 4 calls failed, 130 interrupted (the report is still written).)";

struct Flags {
  BenchFlags bench;
  std::string format = "text";
  std::string json_file;
};

absl::Status WriteFile(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  if (file << text && file.flush()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("cannot write ", path));
}

int Write(const Report& report, const Flags& flags) {
  std::cout << (flags.format == "json" ? ReportJson(report) : ReportText(report));
  std::cout.flush();
  if (flags.json_file.empty()) return ExitCode(report);
  const absl::Status status = WriteFile(flags.json_file, ReportJson(report));
  return status.ok() ? ExitCode(report) : Fail(status);
}

int Run(const Flags& flags) {
  const auto plan = MakePlan(flags.bench);
  if (!plan.ok()) return Fail(plan.status());
  // With JSON on stdout, what was understood goes where people still see it.
  (flags.format == "json" ? std::cerr : std::cout) << Describe(*plan) << '\n' << std::flush;
  SystemClock clock;
  const auto result = RunBench(*plan, clock);
  if (!result.ok()) return Fail(result.status(), plan->address);
  return Write(Report(*plan, *result), flags);
}

void AddLoad(CLI::App& command, BenchFlags& flags) {
  WithEnvironment(command.add_option("-n,--total", flags.total, "calls in all"));
  WithEnvironment(
      command.add_option("-z,--duration", flags.duration, "how long, 10s unless --total is given"));
  WithEnvironment(command.add_option("-c,--concurrency", flags.concurrency,
                                     "calls at a time, each on a connection of its own"))
      ->capture_default_str();
  WithEnvironment(
      command.add_option("--interval", flags.interval, "from one call to the next, such as 1.5s"));
  WithEnvironment(
      command.add_option("--warmup", flags.warmup,
                         "time (2s) or calls (500) before the clock counts; default both, the longer"));
  WithEnvironment(command.add_option("-t,--timeout", flags.timeout, "deadline of each call"))
      ->capture_default_str();
}

void AddWork(CLI::App& command, BenchFlags& flags) {
  WithEnvironment(command.add_option("--tokens", flags.tokens, "tokens a call"))->capture_default_str();
  WithEnvironment(command.add_option("--hidden", flags.hidden, "values a token"))->capture_default_str();
  WithEnvironment(command.add_option("--layer", flags.layer, "the layer's name"))->capture_default_str();
  WithEnvironment(command.add_option("--seed", flags.seed, "of the random tokens"))->capture_default_str();
}

void AddOutput(CLI::App& command, Flags& flags) {
  WithEnvironment(command.add_option("--percentiles", flags.bench.percentiles, "as 50,90,99,99.9"))
      ->capture_default_str();
  WithEnvironment(command.add_option("-O,--format", flags.format, "what goes to stdout"))
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  WithEnvironment(command.add_option("--json", flags.json_file, "a file for the JSON report"));
}

}  // namespace

void AddBench(CLI::App& app, int& exit_code) {
  CLI::App& command = *app.add_subcommand("bench", "measure the latency of Normalize");
  const auto flags = std::make_shared<Flags>();
  AddAddress(command, flags->bench.address);
  AddLoad(command, flags->bench);
  AddWork(command, flags->bench);
  AddOutput(command, *flags);
  AddSecurity(command, flags->bench.security);
  command.footer(kFooter);
  command.callback([flags, &exit_code] { exit_code = Run(*flags); });
}

}  // namespace normd
