// SPDX-License-Identifier: Apache-2.0
//
// normctl verify
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "command.h"
#include "normd/machine.h"
#include "normd/norm.h"
#include "speed.h"
#include "text.h"
#include "verification.h"

namespace normd {
namespace {

struct Options {
  std::string target;
  bool json = false;
};

struct Report {
  std::string cpu;
  std::string active;  // the target that a process takes here
  std::vector<Verdict> verdicts;
  std::vector<Speed> speeds = {};
};

// What Linux calls the CPU; empty where it has no name for it, as on arm64.
std::string CpuModel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "";
}

absl::StatusOr<std::vector<const Target*>> TargetsToVerify(const std::string& wish) {
  if (!wish.empty()) {
    const auto target = SelectTarget(wish);
    if (!target.ok()) return target.status();
    return std::vector<const Target*>{*target};
  }
  std::vector<const Target*> here;
  for (const Target& target : AllTargets()) {
    if (target.runs_here()) here.push_back(&target);
  }
  return here;
}

bool AllOk(const Report& report) {
  return std::ranges::all_of(report.verdicts, [](const Verdict& verdict) { return verdict.ok(); });
}

std::string CallTime(double nanoseconds) {
  return nanoseconds < 1000 ? absl::StrFormat("%.0f ns", nanoseconds)
                            : absl::StrCat(Microseconds(nanoseconds), " us");
}

std::string MachineText(const Report& report) {
  const auto bytes = [](int64_t value) { return BytesText(static_cast<uint64_t>(value)); };
  return absl::StrCat("normctl ", NORMD_VERSION, ", numerics revision ", kNumericsRevision, "\n",
                      report.cpu.empty() ? "" : absl::StrCat("CPU: ", Printable(report.cpu), "\n"),
                      "a process here takes target ", report.active, "; this CPU offers ", TargetsOfThisCpu(),
                      "\nlast-level cache ", bytes(LastLevelCacheBytes()), "; calls of more than ",
                      bytes(DefaultStreamingBytes()), " store past the caches\n\n");
}

std::string VerdictTable(const std::vector<Verdict>& verdicts) {
  std::vector<std::vector<std::string>> rows = {
      {"target", "hashes equal", "exact rows", "worst row-ULP", "verdict"}};
  for (const Verdict& verdict : verdicts) {
    rows.push_back({std::string(verdict.target->name),
                    absl::StrCat(verdict.hashes_equal, " of ", verdict.hashes), absl::StrCat(verdict.rows),
                    absl::StrFormat("%.2f", verdict.worst_row_ulp), verdict.ok() ? "right" : "WRONG"});
  }
  return Table(rows);
}

std::string SpeedTable(const Report& report) {
  std::vector<std::vector<std::string>> rows = {{"float32, one thread"}};
  for (const Speed& speed : report.speeds) {
    rows[0].push_back(absl::StrCat(speed.rows, " x ", speed.hidden));
    rows[0].emplace_back("of copy");
  }
  for (size_t i = 0; i < report.verdicts.size(); ++i) {
    rows.push_back({std::string(report.verdicts[i].target->name)});
    for (const Speed& speed : report.speeds) {
      rows.back().push_back(CallTime(speed.targets_ns[i]));
      rows.back().push_back(absl::StrFormat("%.2f", speed.targets_ns[i] / speed.copy_ns));
    }
  }
  return Table(rows);
}

std::string Text(const Report& report) {
  std::string text =
      absl::StrCat(MachineText(report), VerdictTable(report.verdicts), "\n", SpeedTable(report));
  for (const Verdict& verdict : report.verdicts) {
    if (!verdict.ok())
      absl::StrAppend(&text, "\n", std::string(verdict.target->name), ": ", verdict.first_fault);
  }
  return absl::StrCat(text, "\n", AllOk(report) ? "all right" : "NOT RIGHT", "\n");
}

std::string Json(const Report& report) {
  nlohmann::ordered_json json = {{"version", NORMD_VERSION},
                                 {"numerics_revision", kNumericsRevision},
                                 {"cpu", report.cpu},
                                 {"active_target", report.active},
                                 {"last_level_cache_bytes", LastLevelCacheBytes()},
                                 {"streaming_bytes", DefaultStreamingBytes()},
                                 {"ok", AllOk(report)}};
  for (size_t i = 0; i < report.verdicts.size(); ++i) {
    const Verdict& verdict = report.verdicts[i];
    nlohmann::ordered_json target = {{"target", verdict.target->name},
                                     {"ok", verdict.ok()},
                                     {"hashes", verdict.hashes},
                                     {"hashes_equal", verdict.hashes_equal},
                                     {"rows", verdict.rows},
                                     {"worst_row_ulp", verdict.worst_row_ulp},
                                     {"first_fault", verdict.first_fault}};
    for (const Speed& speed : report.speeds) {
      target["speed"].push_back({{"rows", speed.rows},
                                 {"hidden", speed.hidden},
                                 {"ns", speed.targets_ns[i]},
                                 {"copy_ns", speed.copy_ns}});
    }
    json["targets"].push_back(std::move(target));
  }
  return absl::StrCat(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace), "\n");
}

int Run(const Options& options) {
  const auto targets = TargetsToVerify(options.target);
  if (!targets.ok()) return Fail(targets.status());
  const auto active = DefaultTarget();
  if (!active.ok()) return Fail(active.status());
  Report report{
      .cpu = CpuModel(), .active = std::string((*active)->name), .verdicts = VerifyTargets(*targets)};
  report.speeds = {MeasureSpeed(*targets, 1, 768), MeasureSpeed(*targets, 512, 768)};
  std::cout << (options.json ? Json(report) : Text(report));
  return AllOk(report) ? 0 : kNotVerified;
}

}  // namespace

void AddVerify(CLI::App& app, int& exit_code) {
  CLI::App& command = *app.add_subcommand("verify",
                                          "check this machine: each instruction set against hashes of right "
                                          "answers and the exact reference, and its "
                                          "speed against memcpy; no server is needed");
  const auto options = std::make_shared<Options>();
  WithEnvironment(
      command.add_option("--target", options->target, "check this target alone")->type_name("NAME"));
  command.add_flag("--json", options->json, "print JSON");
  command.footer("\nExits with 0 where all is right, with 5 where something is not.\n\n  normctl verify");
  command.callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace normd
