// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "bench/report.h"

namespace normd {
namespace {

using nlohmann::ordered_json;

ordered_json OrNull(const auto& value) { return value ? ordered_json(*value) : ordered_json(nullptr); }

// A percentile of too few samples is null, as in the text it is n/a.
ordered_json Json(const Distribution& distribution, const std::vector<Percentile>& percentiles) {
  ordered_json json = {{"min", OrNull(distribution.min())},
                       {"mean", OrNull(distribution.mean())},
                       {"max", OrNull(distribution.max())}};
  for (const Percentile percentile : percentiles) {
    json["percentiles"][percentile.Text()] = OrNull(distribution.At(percentile));
  }
  return json;
}

ordered_json Json(const Extent& extent) {
  return {
      {"calls", OrNull(extent.calls)}, {"ns", OrNull(extent.nanoseconds)}, {"until_both", extent.until_both}};
}

ordered_json Json(const BenchPlan& plan) {
  return {{"address", plan.address},
          {"transport", plan.address.starts_with("unix:") ? "unix" : "tcp"},
          {"tls", plan.security.UsesTls()},
          {"loop", "closed"},
          {"concurrency", plan.concurrency},
          {"tokens", plan.tokens},
          {"hidden", plan.hidden},
          {"layer", plan.layer},
          {"measured", Json(plan.measured)},
          {"warmup", Json(plan.warmup)},
          {"interval_ns", plan.interval},
          {"timeout_ns", plan.timeout},
          {"seed", plan.seed}};
}

ordered_json Errors(const Tally& tally) {
  ordered_json json = ordered_json::array();
  for (const auto& [code, count] : tally.errors) {
    json.push_back({{"code", absl::StatusCodeToString(code)},
                    {"count", count},
                    {"first_message", tally.first_error.at(code)}});
  }
  return json;
}

const char* Name(EndReason reason) {
  switch (reason) {
    case EndReason::kDone:
      return "done";
    case EndReason::kInterrupted:
      return "cancel";
    case EndReason::kFull:
      return "sample_limit";
  }
  return "";
}

}  // namespace

std::string ReportJson(const Report& report) {
  const auto& percentiles = report.plan.percentiles;
  const ordered_json json = {{"plan", Json(report.plan)},
                             {"server", report.result.server},
                             {"placement", report.result.placement},
                             {"end_reason", Name(report.result.end_reason)},
                             {"elapsed_ns", report.result.elapsed},
                             {"ok", report.latency.count()},
                             {"failed", report.errors},
                             {"errors", Errors(report.result.tally)},
                             {"throughput_per_s", report.throughput},
                             {"latency_ns", Json(report.latency, percentiles)},
                             {"over_5ms", report.latency.CountAbove(kSlow)},
                             {"over_20ms", report.latency.CountAbove(kVerySlow)},
                             {"shares_ns",
                              {{"client", Json(report.client, percentiles)},
                               {"transport", Json(report.transport, percentiles)},
                               {"server", Json(report.server, percentiles)},
                               {"server_queue", Json(report.queue, percentiles)},
                               {"server_compute", Json(report.compute, percentiles)}}}};
  // Texts come from a server and may hold anything.
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace normd
