// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/report.h"
#include "text.h"

namespace normd {
namespace {

using Row = std::vector<std::string>;

std::string OrNone(const auto& nanoseconds) {
  return nanoseconds ? Microseconds(static_cast<double>(*nanoseconds)) : "n/a";
}

// Every column has as many samples, so the first one says for all how many were needed.
std::string PercentileText(const Distribution& distribution, Percentile percentile, bool first_column) {
  const auto value = distribution.At(percentile);
  if (value || !first_column) return OrNone(value);
  return absl::StrCat("n/a (need ", WithThousands(static_cast<uint64_t>(SamplesNeeded(percentile))), ")");
}

// What the whole call took, and where that time went.
std::string LatencyTable(const Report& report) {
  struct Column {
    const char* name;
    const Distribution& distribution;
  };
  const Column columns[] = {{"call", report.latency},        {"client", report.client},
                            {"transport", report.transport}, {"server", report.server},
                            {"queue", report.queue},         {"compute", report.compute}};
  Row head{"us"}, min{"min"}, mean{"mean"}, max{"max"};
  std::vector<Row> percentiles;
  for (const Percentile percentile : report.plan.percentiles)
    percentiles.push_back({absl::StrCat("p", percentile.Text())});
  for (const Column& column : columns) {
    head.emplace_back(column.name);
    min.push_back(OrNone(column.distribution.min()));
    mean.push_back(OrNone(column.distribution.mean()));
    max.push_back(OrNone(column.distribution.max()));
    for (size_t i = 0; i < percentiles.size(); ++i) {
      percentiles[i].push_back(
          PercentileText(column.distribution, report.plan.percentiles[i], &column == columns));
    }
  }
  std::vector<Row> rows{head, min, mean};
  rows.insert(rows.end(), percentiles.begin(), percentiles.end());
  rows.push_back(max);
  return Table(rows, "  ");
}

std::string ErrorLines(const Tally& tally) {
  std::string text;
  for (const auto& [code, count] : tally.errors) {
    absl::StrAppend(&text, "  ", WithThousands(count), " ", absl::StatusCodeToString(code),
                    ", the first: ", Printable(tally.first_error.at(code)), "\n");
  }
  return text;
}

std::string_view EndText(EndReason reason) {
  switch (reason) {
    case EndReason::kDone:
      return "";
    case EndReason::kInterrupted:
      return " (interrupted)";
    case EndReason::kFull:
      return " (ended early: as many samples as are kept)";
  }
  return "";
}

std::string CallsLine(const Report& report) {
  const std::string_view end = EndText(report.result.end_reason);
  return absl::StrCat(WithThousands(static_cast<uint64_t>(report.latency.count())), " ok, ",
                      WithThousands(report.errors), " failed in ", DurationText(report.result.elapsed), ": ",
                      report.throughput < 100 ? absl::StrFormat("%.3g", report.throughput)
                                              : WithThousands(static_cast<uint64_t>(report.throughput)),
                      " ok a second", absl::string_view(end.data(), end.size()), "\n");
}

std::string SlowLine(const Report& report) {
  return absl::StrCat("max ", OrNone(report.latency.max()),
                      " us; over 5 ms: ", report.latency.CountAbove(kSlow),
                      "; over 20 ms: ", report.latency.CountAbove(kVerySlow), "\n");
}

}  // namespace

std::string ReportText(const Report& report) {
  std::string text =
      absl::StrCat("server ", Printable(report.result.server), "; this client ", report.result.placement,
                   "\n\n", LatencyTable(report), "\n", CallsLine(report), ErrorLines(report.result.tally));
  if (report.plan.interval > 0 && report.latency.count() > 0) absl::StrAppend(&text, SlowLine(report));
  return text;
}

}  // namespace normd
