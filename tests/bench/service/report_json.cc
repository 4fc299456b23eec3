// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>

#include "report.h"

namespace normd::bench {
namespace {

using Json = nlohmann::ordered_json;

// NaN has no place in JSON.
Json Optional(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json LatencyJson(const Report& report, const LatencyCell& cell) {
  Json json{{"transport", NameOf(cell.transport)}, {"rows", cell.shape.rows},
            {"hidden", cell.shape.hidden},         {"calls_of_a_turn", cell.calls},
            {"nanoseconds", Json::object()},       {"ratios", Json::object()}};
  for (size_t i = 0; i < cell.fields.size(); ++i) {
    const Latencies& field = cell.fields[i];
    json["nanoseconds"][report.contestants[i].name] = {{"p50", Optional(Median(field.p50))},
                                                       {"p99", Optional(Median(field.p99))},
                                                       {"p50_of_each_round", field.p50}};
  }
  for (const Pair& pair : kPairs) {
    const auto over = report.IndexOf(pair.over);
    const auto under = report.IndexOf(pair.under);
    if (!over || !under) continue;
    const Latencies& a = cell.fields[*over];
    const Latencies& b = cell.fields[*under];
    json["ratios"][std::string(pair.over) + "/" + pair.under] = {
        {"p50", Optional(MedianRatio(a.p50, b.p50))}, {"p99", Optional(MedianRatio(a.p99, b.p99))}};
  }
  return json;
}

Json RateJson(const Report& report, const RateCell& cell) {
  Json json{{"transport", NameOf(cell.transport)},
            {"rows", cell.shape.rows},
            {"hidden", cell.shape.hidden},
            {"in_flight", cell.in_flight},
            {"calls_of_a_turn", cell.calls},
            {"calls_per_second", Json::object()},
            {"ratios", Json::object()}};
  for (size_t i = 0; i < cell.fields.size(); ++i)
    json["calls_per_second"][report.contestants[i].name] = Optional(Median(cell.fields[i]));
  for (const Pair& pair : kPairs) {
    const auto over = report.IndexOf(pair.over);
    const auto under = report.IndexOf(pair.under);
    if (!over || !under) continue;
    json["ratios"][std::string(pair.over) + "/" + pair.under] =
        Optional(MedianRatio(cell.fields[*over], cell.fields[*under]));
  }
  return json;
}

}  // namespace

std::string JsonText(const Report& report) {
  const Conditions& conditions = report.conditions;
  Json json{{"machine", report.machine},
            {"software", report.software},
            {"placement", report.placement},
            {"load_average", conditions.load_average},
            {"others_share", conditions.others_share},
            {"stolen_share", conditions.stolen_share},
            {"gigahertz", {conditions.gigahertz_before, conditions.gigahertz_after}},
            {"warnings", conditions.Warnings()},
            {"sittings", report.sittings},
            {"rounds", report.rounds},
            {"contestants", Json::object()},
            {"latencies", Json::array()},
            {"rates", Json::array()}};
  for (const Label& contestant : report.contestants) json["contestants"][contestant.name] = contestant.what;
  for (const LatencyCell& cell : report.latencies) json["latencies"].push_back(LatencyJson(report, cell));
  for (const RateCell& cell : report.rates) json["rates"].push_back(RateJson(report, cell));
  return json.dump(1) + "\n";
}

}  // namespace normd::bench
