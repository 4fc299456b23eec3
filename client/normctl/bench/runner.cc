// SPDX-License-Identifier: Apache-2.0
#include "bench/runner.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <random>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "normd/client.h"

namespace normd {
namespace {

// One worker: a connection of its own, and memory that its calls use again and again.
class Worker {
 public:
  Worker(const BenchPlan& plan, Client client, std::shared_ptr<const std::vector<float>> tokens)
      : client_(std::move(client)), options_{.timeout = absl::Nanoseconds(plan.timeout), .metadata = {}} {
    batch_.tokens = *tokens;
    batch_.hidden = plan.hidden;
    batch_.layer = plan.layer;
    batch_.owner = std::move(tokens);
  }

  void Run(const Pace& pace, Phase& phase, Clock& clock) {
    tally_ = RunClosedLoop(pace, phase, clock, [this](CallTimings* timings) {
      absl::Status status = client_.Normalize(batch_, options_, &result_);
      *timings = result_.timings;
      return status;
    });
  }

  const Client& client() const { return client_; }
  Tally& tally() { return tally_; }

 private:
  Client client_;
  CallOptions options_;
  Batch batch_;
  Normalized result_;
  Tally tally_;
};

using Workers = std::vector<std::unique_ptr<Worker>>;

std::shared_ptr<const std::vector<float>> RandomTokens(const BenchPlan& plan) {
  std::mt19937_64 random(plan.seed);
  std::normal_distribution<float> normal;
  auto tokens = std::make_shared<std::vector<float>>(static_cast<size_t>(plan.tokens * plan.hidden));
  std::generate(tokens->begin(), tokens->end(), [&] { return normal(random); });
  return tokens;
}

absl::StatusOr<Workers> ConnectAll(const BenchPlan& plan) {
  const auto tokens = RandomTokens(plan);
  Workers workers;
  for (int64_t i = 0; i < plan.concurrency; ++i) {
    const absl::Duration timeout = absl::Nanoseconds(plan.timeout);
    // A retry would count as one call, with the latency of several.
    auto client = Client::Connect(plan.address,
                                  {.connect_timeout = timeout, .retries = false, .security = plan.security});
    if (!client.ok()) return client.status();
    workers.push_back(std::make_unique<Worker>(plan, *std::move(client), tokens));
  }
  return workers;
}

void RunPhase(const Extent& extent, const Pace& pace, Clock& clock, Workers& workers) {
  Phase phase(extent, clock.Now());
  std::vector<std::jthread> threads;
  for (size_t i = 1; i < workers.size(); ++i) {
    threads.emplace_back([&, i] { workers[i]->Run(pace, phase, clock); });
  }
  workers[0]->Run(pace, phase, clock);
}

void Merge(Tally& from, Tally& into) {
  std::move(from.samples.begin(), from.samples.end(), std::back_inserter(into.samples));
  for (const auto& [code, count] : from.errors) into.errors[code] += count;
  into.first_error.merge(from.first_error);
  into.full |= from.full;
}

EndReason ReasonOf(const Tally& tally, Clock& clock) {
  if (clock.Interrupted()) return EndReason::kInterrupted;
  return tally.full ? EndReason::kFull : EndReason::kDone;
}

std::string DescribeServer(const Client& client) {
  const auto info = client.GetServerInfo();
  if (!info.ok()) return "unknown";
  return absl::StrCat("normd ", info->version, ", target ", info->active_target);
}

}  // namespace

absl::StatusOr<BenchResult> RunBench(const BenchPlan& plan, Clock& clock) {
  auto workers = ConnectAll(plan);
  if (!workers.ok()) return workers.status();
  BenchResult result;
  result.server = DescribeServer(workers->front()->client());
  result.placement = Placement();
  const uint64_t max_samples = kMaxSamples / workers->size();
  // The warm-up keeps no pace: it is to be over soon. A server that answers nothing well need not be warm.
  RunPhase(plan.warmup, {.max_samples = max_samples, .until_error = true}, clock, *workers);
  const uint64_t start = clock.Now();
  RunPhase(plan.measured, {.interval = plan.interval, .max_samples = max_samples}, clock, *workers);
  result.elapsed = clock.Now() - start;
  for (auto& worker : *workers) Merge(worker->tally(), result.tally);
  result.end_reason = ReasonOf(result.tally, clock);
  return result;
}

std::string Placement() {
  const int64_t online = sysconf(_SC_NPROCESSORS_ONLN);
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  if (sched_getaffinity(0, sizeof cpus, &cpus) != 0)
    return absl::StrCat("placement unknown, ", online, " CPUs");
  const int allowed = CPU_COUNT(&cpus);
  if (allowed < online) return absl::StrCat("pinned to ", allowed, " of ", online, " CPUs");
  return absl::StrCat("unpinned, ", online, online == 1 ? " CPU" : " CPUs");
}

}  // namespace normd
