// SPDX-License-Identifier: Apache-2.0
#include "results.h"

#include <algorithm>
#include <cmath>

#include "lab.h"

namespace normd::bench {

std::optional<double> CellResult::BestRatio(const Contestants& contestants, Part part) const {
  std::optional<double> best;
  for (size_t i = 0; i < contestants.size(); ++i) {
    if (contestants[i].part != part || !fields[i] || std::isnan(fields[i]->ratio)) continue;
    if (!best || fields[i]->ratio < *best) best = fields[i]->ratio;
  }
  return best;
}

CellResult Summarize(const Cell& cell, const std::vector<std::vector<Times>>& runs) {
  CellResult result{.cell = cell, .fields = {}, .why_not = {}, .lab_ratio = LabRatio(cell)};
  for (size_t i = 0; i < runs.front().size(); ++i) {
    result.why_not.push_back(runs.front()[i].why_not);
    std::vector<double> nanoseconds, ratios;
    for (const std::vector<Times>& run : runs) {
      if (run[i].empty()) continue;
      nanoseconds.push_back(Median(run[i].rounds));
      ratios.push_back(MedianRatio(run[i], run[0]));
    }
    if (nanoseconds.empty()) {
      result.fields.emplace_back();
      continue;
    }
    const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
    result.fields.emplace_back(Field{Median(nanoseconds), Median(ratios), *least, *most});
  }
  return result;
}

std::optional<Summary> Summarize(const std::vector<std::pair<Cell, std::optional<double>>>& values) {
  std::optional<Summary> summary;
  double logarithms = 0;
  int count = 0;
  for (const auto& [cell, value] : values) {
    if (!value || std::isnan(*value)) continue;
    if (!summary || *value < summary->worst) summary = Summary{0, *value, cell};
    logarithms += std::log(*value);
    ++count;
  }
  if (summary) summary->geometric_mean = std::exp(logarithms / count);
  return summary;
}

std::string NameOf(Type type) {
  return type == Type::kFloat32 ? "f32" : type == Type::kBfloat16 ? "bf16" : "f16";
}

std::string NameOf(Kind kind) {
  return kind == Kind::kPlain ? "plain" : kind == Kind::kResidual ? "residual" : "rms";
}

}  // namespace normd::bench
