// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "checkpoint.h"
#include "grpc_server.h"
#include "http_server.h"
#include "layer_registry.h"
#include "listen_address.h"
#include "log.h"
#include "metrics.h"
#include "options.h"
#include "pages.h"
#include "self_test.h"
#include "signals.h"

namespace normd {
namespace {

// What clients that watch the health get to go elsewhere: gRPC cancels the calls that reach it between the
// shutdown and the moment when the client hears of it.
constexpr std::chrono::milliseconds kNotice(100);

// Large messages and answers come and go. Mapped anew each time, the pages of a 32 MB answer alone took a
// third of its call; a few of them are kept, and what is beyond goes back to the system.
void KeepMemory() {
  constexpr int kMebibyte = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, 64 * kMebibyte);
  mallopt(M_TRIM_THRESHOLD, 256 * kMebibyte);
  mallopt(M_TOP_PAD, kMebibyte);
  mallopt(M_ARENA_MAX, 1);
}

// gRPC 1.51 stops listening for good once it finds no descriptor for a connection, and has no limit on
// connections: the system's hard limit stands in for one, and not the soft one, which is often 1,024.
void RaiseFileLimit() {
  rlimit files = {};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

void SetUpProcess() {
  HoldStopSignals();
  RaiseFileLimit();
  // Debian's abseil looks for deadlocks on each lock, which costs six percent of a small call.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  // What gRPC would say of a failed start, this server says itself.
  setenv("GRPC_VERBOSITY", "NONE", 0);
  KeepMemory();
}

void SayListening(const std::string& address, const GrpcServerOptions& options) {
  const bool tls = !options.tls.certificates.empty() && !IsUnix(address);
  const char* const mutual = options.tls.authorities.empty() ? "" : ", with client certificates";
  spdlog::info("listening on {}{}{}", address, tls ? ", TLS" : "", tls ? mutual : "");
  if (!tls && !IsLocal(address))
    spdlog::warn(
        "{} can be reached from other machines, in plain text and {}", address,
        options.token_file.empty() ? "without a password" : "with a token that all on the way can read");
}

absl::Status AddCheckpoint(const std::string& spec, LayerRegistry* layers) {
  const size_t equals = spec.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == spec.size()) {
    return absl::InvalidArgumentError(absl::StrCat("--checkpoint: expected NAME=FILE, got \"",
                                                   absl::CHexEscape(spec.substr(0, 256)), "\""));
  }
  auto loaded = LoadCheckpoint(std::string_view(spec).substr(0, equals), spec.substr(equals + 1));
  if (!loaded.ok()) return loaded.status();
  spdlog::info("checkpoint {}: {} norm layers", spec.substr(0, equals), loaded->size());
  for (Layer& layer : *loaded) {
    if (auto status = layers->Add(std::move(layer)); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status AddCheckpoints(const Options& options, LayerRegistry* layers) {
  for (const std::string& spec : options.checkpoints) {
    if (auto status = AddCheckpoint(spec, layers); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// Null where none is wanted.
absl::StatusOr<std::unique_ptr<HttpServer>> StartHttp(const std::string& address, Pages* pages) {
  if (address.empty()) return nullptr;
  auto server = HttpServer::Start(
      address, [pages](std::string_view path) { return pages->Answer(path); }, [pages] { pages->Sample(); });
  if (!server.ok())
    return absl::Status(server.status().code(), absl::StrCat("--http: ", server.status().message()));
  spdlog::info("status page, metrics and probes on http://{}", (*server)->address());
  return server;
}

absl::Status ServeUntilStopped(const Options& options, LayerRegistry* layers, Metrics* metrics) {
  metrics->set_phase(Phase::kTesting);
  if (auto status = SelfTest(*layers->target()); !status.ok()) return status;
  metrics->set_phase(Phase::kStarting);
  const auto server = GrpcServer::Start(options.server, layers, metrics);
  if (!server.ok()) return server.status();
  (*server)->SetServing();
  metrics->set_phase(Phase::kServing);
  spdlog::info("normd " NORMD_VERSION " on target {} (this CPU offers {}), {} layers", layers->target()->name,
               TargetsOfThisCpu(), layers->size());
  for (const std::string& address : (*server)->addresses()) SayListening(address, options.server);
  WaitForStop();
  metrics->set_phase(Phase::kDraining);
  (*server)->SetNotServing();
  if (options.drain_delay_seconds > 0)
    spdlog::info("not serving any more, and draining in {} s", options.drain_delay_seconds);
  std::this_thread::sleep_for(
      std::max<std::chrono::milliseconds>(kNotice, std::chrono::seconds(options.drain_delay_seconds)));
  spdlog::info("draining: calls in flight have {} s", options.drain_grace_seconds);
  (*server)->Drain(std::chrono::seconds(options.drain_grace_seconds));
  spdlog::info("stopped");
  return absl::OkStatus();
}

absl::Status Serve(const Options& options) {
  const absl::StatusOr<const Target*> target = SelectTarget(options.target);
  if (!target.ok()) return target.status();
  Metrics metrics;
  LayerRegistry layers(*target);
  Pages pages(&metrics, {{NORMD_VERSION, std::string((*target)->name), kNumericsRevision}, options.settings});
  // Before the checkpoints are read, so that probes are told why the server is not ready yet.
  const auto http = StartHttp(options.http, &pages);
  if (!http.ok()) return http.status();
  if (auto status = AddCheckpoints(options, &layers); !status.ok()) return status;
  metrics.set_layers(layers.size());
  pages.ShowLayers(&layers);
  return ServeUntilStopped(options, &layers, &metrics);
}

}  // namespace
}  // namespace normd

int main(int argc, char** argv) {
  normd::SetUpProcess();
  int exit_code = 0;
  const auto options = normd::ParseOptions(argc, argv, &exit_code);
  if (!options.has_value()) return exit_code;
  normd::SetUpLog(options->log_format == "json" ? normd::LogFormat::kJson : normd::LogFormat::kText,
                  spdlog::level::from_str(options->log_level));
  const absl::Status status = normd::Serve(*options);
  if (!status.ok()) spdlog::error("{}", std::string(status.message()));
  return status.ok() ? 0 : 1;
}
