// SPDX-License-Identifier: Apache-2.0
//
// bench_service: normd against servers that compute nothing, on the same bytes. ./dev bench service
#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include "absl/synchronization/mutex.h"
#include "conditions.h"
#include "contestants.h"
#include "flags.h"
#include "machine.h"
#include "report.h"
#include "rounds.h"

namespace normd::bench {

std::optional<size_t> Report::IndexOf(const std::string& name) const {
  const auto found = std::find_if(contestants.begin(), contestants.end(),
                                  [&](const Label& contestant) { return contestant.name == name; });
  if (found == contestants.end()) return std::nullopt;
  return static_cast<size_t>(found - contestants.begin());
}

namespace {

// -1: anywhere.
struct Cores {
  int client = -1;
  int server = -1;
};

Cores ChooseCores(const Flags& flags) {
  if (flags.placement == Placement::kUnpinned) return {};
  const std::vector<int> allowed = AllowedCores();
  const int client = flags.core >= 0 ? flags.core : allowed.front();
  if (flags.placement == Placement::kOneCpu) return {client, client};
  const auto other = std::find_if(allowed.begin(), allowed.end(), [&](int core) { return core != client; });
  if (other == allowed.end()) throw std::runtime_error("two-cpus needs two, and one is allowed");
  return {client, *other};
}

std::string Describe(const Cores& cores) {
  if (cores.client < 0) return "unpinned, " + std::to_string(AllowedCores().size()) + " CPUs";
  if (cores.client == cores.server) return "client and servers on CPU " + std::to_string(cores.client);
  return "client on CPU " + std::to_string(cores.client) + ", servers on CPU " + std::to_string(cores.server);
}

void ShowProgress(const std::string& text) {
  if (isatty(STDERR_FILENO) != 0) std::cerr << "\r\033[K" << text << std::flush;
}

void MeasureTransport(const Contestants& contestants, int rounds, Transport transport, Report& report) {
  const Clients clients = contestants.Connect(transport);
  for (LatencyCell& cell : report.latencies) {
    if (cell.transport != transport) continue;
    ShowProgress(NameOf(transport) + " " + cell.shape.Text());
    MeasureLatencies(clients, rounds, &cell);
  }
  for (RateCell& cell : report.rates) {
    if (cell.transport != transport) continue;
    ShowProgress(NameOf(transport) + ", " + std::to_string(cell.in_flight) + " in flight");
    MeasureRates(clients, contestants.all(), rounds, &cell);
  }
  ShowProgress("");
}

void MeasureSitting(const Flags& flags, int server_core, Report& report) {
  const Contestants contestants(flags, server_core);
  if (report.contestants.empty()) {
    report.contestants = contestants.labels();
    report.latencies = LatencyCells(flags, report.contestants.size());
    report.rates = RateCells(flags, report.contestants.size());
  }
  for (const Transport transport : flags.transports)
    MeasureTransport(contestants, flags.rounds, transport, report);
}

Report Measure(const Flags& flags) {
  const Cores cores = ChooseCores(flags);
  Report report;
  report.placement = Describe(cores);
  const size_t count = AllowedCores().size();
  if (cores.client >= 0) PinTo(cores.client);
  report.machine = CpuModel() + ", " + std::to_string(count) + " CPUs, " + Caches(std::max(0, cores.client)) +
                   ", " + Kernel();
  report.software = "gRPC " + grpc::Version() + "; normd is " + flags.normd;
  report.sittings = flags.sittings;
  report.rounds = flags.sittings * flags.rounds;
  report.conditions = LookAround();
  const ProcessorTimes start = ProcessorTimes::Now();
  for (int i = 0; i < flags.sittings; ++i) MeasureSitting(flags, cores.server, report);
  LookBack(start, report.conditions);
  return report;
}

int Main(int argc, char** argv) {
  CLI::App app{"normd's latency and rate beside those of servers that compute nothing."};
  Flags flags;
  AddFlags(app, flags);
  try {
    app.parse(argc, argv);
    FillIn(flags);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  const Report report = Measure(flags);
  std::cout << Text(report) << std::flush;
  if (flags.json.empty()) return 0;
  std::ofstream file(flags.json);
  file << JsonText(report);
  if (!file.flush()) throw std::runtime_error("cannot write " + flags.json);
  return 0;
}

}  // namespace
}  // namespace normd::bench

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGINT, [](int) { normd::bench::Interrupt(); });
  signal(SIGTERM, [](int) { normd::bench::Interrupt(); });
  try {
    return normd::bench::Main(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "bench_service: " << error.what() << "\n";
    return 1;
  }
}
