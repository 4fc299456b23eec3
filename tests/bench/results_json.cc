// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>

#include "accuracy.h"
#include "results.h"

namespace normd::bench {
namespace {

using Json = nlohmann::ordered_json;

std::string NameOf(Part part) {
  switch (part) {
    case Part::kOurs:
      return "ours";
    case Part::kFloor:
      return "floor";
    case Part::kKernel:
      return "kernel";
    case Part::kEstimate:
      return "estimate";
    case Part::kOperator:
      return "operator";
  }
  return "";
}

Json Optional(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json ContestantJson(const Contestant& contestant) {
  Json json{{"name", contestant.name}, {"part", NameOf(contestant.part)}, {"what", contestant.what}};
  if (!contestant.why_not.empty()) json["why_not"] = contestant.why_not;
  return json;
}

// One contestant in one cell.
Json FieldJson(const Contestant& contestant, const std::optional<Field>& field, const std::string& why_not) {
  Json json{{"name", contestant.name}, {"part", NameOf(contestant.part)}};
  if (!field) {
    json["why_not"] = why_not;
    return json;
  }
  json["nanoseconds"] = field->nanoseconds;
  json["over_ours"] = Optional(field->ratio);
  json["over_ours_least"] = Optional(field->least_ratio);
  json["over_ours_most"] = Optional(field->most_ratio);
  return json;
}

Json CellJson(const Results& results, const CellResult& result) {
  const Cell& cell = result.cell;
  Json json{{"rows", cell.rows},
            {"hidden", cell.hidden},
            {"type", NameOf(cell.type)},
            {"kind", NameOf(cell.kind)},
            {"threads", cell.threads},
            {"best_kernel_over_ours", Optional(result.BestRatio(results.contestants, Part::kKernel))},
            {"best_operator_over_ours", Optional(result.BestRatio(results.contestants, Part::kOperator))},
            {"laboratory_over_ours", Optional(result.lab_ratio)},
            {"times", Json::array()}};
  for (size_t i = 0; i < results.contestants.size(); ++i) {
    json["times"].push_back(FieldJson(results.contestants[i], result.fields[i], result.why_not[i]));
  }
  return json;
}

}  // namespace

std::string JsonText(const Results& results) {
  const Machine& machine = results.machine;
  Json json{{"machine",
             {{"cpu", machine.cpu},
              {"caches", machine.caches},
              {"placement", machine.placement},
              {"measured_gigahertz_of_each_run", machine.gigahertz}}},
            {"runs", results.runs},
            {"rounds", results.rounds},
            {"contestants", Json::array()},
            {"cells", Json::array()}};
  for (const Contestant& contestant : results.contestants)
    json["contestants"].push_back(ContestantJson(contestant));
  for (const CellResult& cell : results.cells) json["cells"].push_back(CellJson(results, cell));
  return json.dump(1) + "\n";
}

std::string JsonText(const Accuracy& accuracy) {
  Json json = Json::array();
  for (const AccuracyRow& row : accuracy.rows) {
    Json errors = Json::object();
    for (size_t i = 0; i < row.worst.size(); ++i) errors[accuracy.names[i]] = Optional(row.worst[i]);
    json.push_back({{"row", row.name}, {"hidden", row.hidden}, {"row_ulp", errors}});
  }
  return json.dump(1) + "\n";
}

}  // namespace normd::bench
