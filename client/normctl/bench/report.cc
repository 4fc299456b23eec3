// SPDX-License-Identifier: Apache-2.0
#include "bench/report.h"

#include <algorithm>
#include <numeric>

namespace normd {
namespace {

template <typename Quantity>
Distribution Of(const BenchResult& result, Quantity quantity) {
  std::vector<uint64_t> values(result.tally.samples.size());
  std::transform(result.tally.samples.begin(), result.tally.samples.end(), values.begin(), quantity);
  return Distribution(std::move(values));
}

// The two clocks tick apart, and a share can come out a hair below nothing.
uint64_t Less(uint64_t whole, uint64_t part) { return whole - std::min(whole, part); }

uint64_t ClientShare(const Sample& sample) { return sample.timings.marshal + sample.timings.unmarshal; }

uint64_t TransportShare(const Sample& sample) {
  return Less(sample.latency, ClientShare(sample) + sample.timings.server_total);
}

uint64_t CountErrors(const Tally& tally) {
  return std::accumulate(tally.errors.begin(), tally.errors.end(), uint64_t{0},
                         [](uint64_t sum, const auto& error) { return sum + error.second; });
}

}  // namespace

Report::Report(const BenchPlan& the_plan, const BenchResult& the_result)
    : plan(the_plan),
      result(the_result),
      latency(Of(result, [](const Sample& sample) { return sample.latency; })),
      server(Of(result, [](const Sample& sample) { return sample.timings.server_total; })),
      queue(Of(result, [](const Sample& sample) { return sample.timings.server_queue; })),
      compute(Of(result, [](const Sample& sample) { return sample.timings.server_compute; })),
      client(Of(result, ClientShare)),
      transport(Of(result, TransportShare)),
      errors(CountErrors(result.tally)) {
  const double seconds = static_cast<double>(result.elapsed) / 1e9;
  if (result.elapsed > 0) throughput = static_cast<double>(latency.count()) / seconds;
}

int ExitCode(const Report& report) {
  if (report.result.end_reason == EndReason::kInterrupted) return 130;
  return report.errors > 0 || report.latency.count() == 0 ? 4 : 0;
}

}  // namespace normd
