// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <functional>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "report.h"

namespace normd::bench {
namespace {

constexpr int kWidth = 18;
constexpr int kFirstWidth = 18;

std::string Number(double value) {
  if (std::isnan(value)) return "n/a";
  return absl::StrFormat("%.*f", value < 10 ? 2 : value < 100 ? 1 : 0, value);
}

std::string Heading(const std::string& first, const std::vector<std::string>& columns) {
  std::string line = absl::StrFormat("%-*s", kFirstWidth, first);
  for (const std::string& column : columns) absl::StrAppendFormat(&line, "%*s", kWidth, column);
  return line + "\n";
}

std::vector<std::string> Names(const Report& report) {
  std::vector<std::string> names;
  for (const Label& contestant : report.contestants) names.push_back(contestant.name);
  return names;
}

// The pairs of which both take part.
std::vector<Pair> Pairs(const Report& report) {
  std::vector<Pair> pairs;
  for (const Pair& pair : kPairs) {
    if (report.IndexOf(pair.over) && report.IndexOf(pair.under)) pairs.push_back(pair);
  }
  return pairs;
}

std::vector<std::string> NamesOf(const std::vector<Pair>& pairs) {
  std::vector<std::string> names;
  for (const Pair& pair : pairs) names.push_back(absl::StrCat(pair.over, "/", pair.under));
  return names;
}

std::string Row(const std::string& first, size_t count, const std::function<std::string(size_t)>& field) {
  std::string line = absl::StrFormat("%-*s", kFirstWidth, first);
  for (size_t i = 0; i < count; ++i) absl::StrAppendFormat(&line, "%*s", kWidth, field(i));
  return line + "\n";
}

std::string LatencyRow(const LatencyCell& cell) {
  return Row(absl::StrCat(NameOf(cell.transport), " ", cell.shape.Text()), cell.fields.size(), [&](size_t i) {
    const Latencies& field = cell.fields[i];
    return Number(Median(field.p50) / 1e3) + " / " + Number(Median(field.p99) / 1e3);
  });
}

std::string LatencyRatioRow(const Report& report, const LatencyCell& cell, const std::vector<Pair>& pairs) {
  return Row(absl::StrCat(NameOf(cell.transport), " ", cell.shape.Text()), pairs.size(), [&](size_t i) {
    const Latencies& over = cell.fields[*report.IndexOf(pairs[i].over)];
    const Latencies& under = cell.fields[*report.IndexOf(pairs[i].under)];
    return Number(MedianRatio(over.p50, under.p50)) + " / " + Number(MedianRatio(over.p99, under.p99));
  });
}

std::string RateRow(const RateCell& cell) {
  return Row(absl::StrCat(NameOf(cell.transport), ", ", cell.in_flight), cell.fields.size(),
             [&](size_t i) { return Number(Median(cell.fields[i])); });
}

std::string RateRatioRow(const Report& report, const RateCell& cell, const std::vector<Pair>& pairs) {
  return Row(absl::StrCat(NameOf(cell.transport), ", ", cell.in_flight), pairs.size(), [&](size_t i) {
    return Number(MedianRatio(cell.fields[*report.IndexOf(pairs[i].over)],
                              cell.fields[*report.IndexOf(pairs[i].under)]));
  });
}

std::string RatesText(const Report& report, const std::vector<Pair>& pairs) {
  std::string text = "\nCalls a second of 1x768, medians\n";
  text += Heading("in flight", Names(report));
  for (const RateCell& cell : report.rates) text += RateRow(cell);
  if (pairs.empty()) return text;
  absl::StrAppend(&text, "\nRatios of calls a second\n");
  text += Heading("in flight", NamesOf(pairs));
  for (const RateCell& cell : report.rates) text += RateRatioRow(report, cell, pairs);
  return text;
}

std::string Header(const Report& report) {
  const Conditions& conditions = report.conditions;
  std::string text = absl::StrFormat(
      "%s\n%s\nplacement: %s; clock %.2f GHz; load average %.2f, others' share %.0f %%, stolen %.1f %%\n",
      report.machine, report.software, report.placement, conditions.gigahertz_before, conditions.load_average,
      100 * conditions.others_share, 100 * conditions.stolen_share);
  for (const std::string& warning : conditions.Warnings())
    absl::StrAppend(&text, "NOT QUIET: ", warning, "; trust the ratios more than the times\n");
  absl::StrAppend(&text, "\n");
  for (const Label& contestant : report.contestants)
    absl::StrAppendFormat(&text, "%-12s%s\n", contestant.name, contestant.what);
  return text;
}

}  // namespace

std::string Text(const Report& report) {
  const std::vector<Pair> pairs = Pairs(report);
  std::string text = Header(report);
  absl::StrAppendFormat(
      &text,
      "\nOne call at a time: p50 / p99 in microseconds, medians of %d rounds in %d sittings. "
      "n/a: too few calls for a p99.\n",
      report.rounds, report.sittings);
  text += Heading("rows x hidden", Names(report));
  for (const LatencyCell& cell : report.latencies) text += LatencyRow(cell);
  if (!pairs.empty()) {
    absl::StrAppend(&text, "\nRatios of p50 / of p99, medians of those within a round\n");
    text += Heading("rows x hidden", NamesOf(pairs));
    for (const LatencyCell& cell : report.latencies) text += LatencyRatioRow(report, cell, pairs);
  }
  return report.rates.empty() ? text : text + RatesText(report, pairs);
}

}  // namespace normd::bench
