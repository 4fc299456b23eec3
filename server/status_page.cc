// SPDX-License-Identifier: Apache-2.0
#include "status_page.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <initializer_list>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "html.h"
#include "latency_summary.h"
#include "process_stats.h"

namespace normd {
namespace {

constexpr size_t kMaxLayers = 100;
constexpr size_t kMaxSettings = 100;

constexpr char kStyle[] = R"css(
:root { color-scheme: light dark; --ground: #f6f7f9; --card: #fff; --ink: #1b2430; --soft: #5b6776; --line: #dde2e8;
  --mark: #2563c9; --good: #17734a; --bad: #b4231f; }
@media (prefers-color-scheme: dark) { :root { --ground: #12161c; --card: #1b2129; --ink: #e6eaf0; --soft: #9aa7b6;
  --line: #2e3742; --mark: #6ea8ff; --good: #5fc796; --bad: #ff8f87; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 64rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
header { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; }
h1 { margin: 0; font-size: 1.6rem; }
h2 { margin: 0 0 .6rem; font-size: 1rem; }
p { margin: .25rem 0 0; color: var(--soft); }
a { color: var(--mark); }
.state { font-weight: 600; color: var(--bad); }
.state.on { color: var(--good); }
.tiles { display: grid; grid-template-columns: repeat(4, 1fr); gap: .75rem; margin: 1.25rem 0 .75rem; }
@media (max-width: 40rem) { .tiles { grid-template-columns: repeat(2, 1fr); } }
.tiles div, section { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
.tiles div { padding: .6rem .8rem; }
.tiles b { display: block; font-size: 1.35rem; font-weight: 600; line-height: 1.3; font-variant-numeric: tabular-nums; }
.tiles span { color: var(--soft); font-size: .85rem; }
section { padding: .9rem 1rem 1rem; margin: 0 0 .75rem; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 0 .75rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th { text-align: left; font-weight: 600; color: var(--soft); white-space: nowrap; }
th, td { padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
td { min-width: 6rem; }
.n { min-width: 0; }
th:first-child { min-width: 11rem; }
tbody tr:last-child td { border-bottom: 0; }
.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
th:last-child, td:last-child { padding-right: 0; }
svg { display: block; width: 100%; height: auto; }
rect { fill: var(--mark); }
line { stroke: var(--soft); stroke-width: 1; }
text { fill: var(--soft); font-size: 12px; text-anchor: middle; }
)css";

using Cells = std::vector<std::string>;

std::string Tile(std::string_view value, std::string_view name) {
  return absl::StrCat("<div><b>", Escape(value), "</b><span>", Escape(name), "</span></div>\n");
}

std::string Section(const char* heading, const std::string& html) {
  return absl::StrCat("<section><h2>", Escape(heading), "</h2>\n", html, "</section>\n");
}

std::string BoundText(double seconds) {
  if (seconds == 0) return "\u2013";
  return std::isinf(seconds) ? "> 8 s" : "\u2264 " + ShortSeconds(seconds);
}

LatencySummary SummaryOf(const Metrics& metrics) {
  LatencySummary summary;
  for (size_t i = 0; i < kMethods; ++i) {
    const auto method = static_cast<Method>(i);
    if (NameOf(method).normalizes) summary.Add(RequestsOf(method, metrics[method]).latencies());
  }
  return summary;
}

std::string Header(const Metrics& metrics, const PageFacts& facts) {
  const Phase phase = metrics.phase();
  return absl::StrCat("<header><h1>normd</h1><span class='state", phase == Phase::kServing ? " on" : "", "'>",
                      Escape(TextOf(phase)), "</span></header>\n<p>version ", Escape(facts.build.version),
                      ", target ", Escape(facts.build.target), ", numerics revision ",
                      facts.build.numerics_revision, "</p>\n");
}

std::string Tiles(const Metrics& metrics, const Recent& recent, const LatencySummary& latencies) {
  const Recent::Rates rates = recent.rates();
  const ProcessStats process = ReadProcessStats();
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  uint64_t in_flight = 0;
  for (size_t i = 0; i < kMethods; ++i) in_flight += metrics[static_cast<Method>(i)].calls.in_flight();
  return absl::StrCat("<div class=tiles>\n", Tile(ShortNumber(rates.requests), "requests a second"),
                      Tile(ShortNumber(rates.rows), "rows a second"),
                      Tile(ShortNumber(rates.errors), "errors in the last minute"),
                      Tile(BoundText(latencies.QuantileBound(0.5)), "half of the requests"),
                      Tile(BoundText(latencies.QuantileBound(0.99)), "99 % of the requests"),
                      Tile(ShortNumber(static_cast<double>(in_flight)), "calls in flight"),
                      Tile(ShortSeconds(std::max(0.0, now - process.start_time_seconds)), "up"),
                      Tile(ShortBytes(static_cast<double>(process.resident_bytes)), "resident memory"),
                      "</div>\n");
}

std::string LastMinute(const Recent& recent) {
  const std::vector<double> rates = recent.requests_per_second();
  const double highest = rates.empty() ? 0 : *std::max_element(rates.begin(), rates.end());
  std::vector<Bar> bars(Recent::kSeconds, Bar{0, "", "before the start"});
  for (size_t i = 0; i < rates.size(); ++i) {
    Bar& bar = bars[bars.size() - rates.size() + i];
    bar = {highest > 0 ? rates[i] / highest : 0, "", ShortNumber(rates[i]) + " requests a second"};
  }
  bars.front().below = "\u2212" + std::to_string(Recent::kSeconds) + " s";
  bars.back().below = "now";
  const std::string title = "Requests in each second of the last minute, at most " + ShortNumber(highest);
  return Section("The last minute",
                 BarChart(bars, title) + absl::StrCat("<p>Requests in each second, at most ",
                                                      Escape(ShortNumber(highest)), "</p>\n"));
}

std::string Latency(const LatencySummary& latencies) {
  uint64_t highest = 1;
  for (size_t i = 0; i <= Latencies::kBounds; ++i) highest = std::max(highest, latencies.bucket(i));
  std::vector<Bar> bars;
  for (size_t i = 0; i <= Latencies::kBounds; ++i) {
    const std::string bound = i < Latencies::kBounds ? ShortSeconds(Latencies::Bound(i)) : "more";
    const double share = static_cast<double>(latencies.bucket(i)) / static_cast<double>(highest);
    // Below every fourth bar, so that they keep apart on a narrow screen.
    bars.push_back(
        {share, i % 4 == 0 ? bound : "", absl::StrCat("up to ", bound, ": ", Grouped(latencies.bucket(i)))});
  }
  const std::string mean = ShortSeconds(latencies.mean_seconds());
  return Section("Latency since the start",
                 BarChart(bars, "Requests by latency, each bar twice as long as the one before") +
                     absl::StrCat("<p>", Grouped(latencies.count()), " requests, ", Escape(mean),
                                  " on average, from arrival to hand-over to gRPC</p>\n"));
}

// Without the package: "Normalizer/Normalize".
std::string ShortName(const MethodName& name) {
  const std::string_view service = name.service.substr(name.service.rfind('.') + 1);
  return std::string(service) + "/" + std::string(name.method);
}

std::string Methods(const Metrics& metrics) {
  std::vector<Cells> rows;
  for (size_t i = 0; i < kMethods; ++i) {
    const auto method = static_cast<Method>(i);
    const MethodMetrics& counts = metrics[method];
    const Tally& requests = RequestsOf(method, counts);
    LatencySummary latencies;
    latencies.Add(requests.latencies());
    const uint64_t good = requests.ended(0);
    rows.push_back({ShortName(NameOf(method)), Grouped(good), Grouped(requests.ended() - good),
                    Grouped(counts.calls.in_flight()), Grouped(counts.rows.value()),
                    ShortBytes(static_cast<double>(counts.received_bytes.value())),
                    ShortBytes(static_cast<double>(counts.sent_bytes.value())),
                    BoundText(latencies.QuantileBound(0.99))});
  }
  return Section("Requests since the start",
                 Table({"method", "OK", "errors", "in flight", "rows", "received", "sent", "99 %"}, rows, 1));
}

std::string Errors(const Metrics& metrics) {
  std::vector<Cells> rows;
  for (size_t i = 0; i < kMethods; ++i) {
    const auto method = static_cast<Method>(i);
    for (size_t code = 1; code < kStatusCodes; ++code) {
      const uint64_t count = RequestsOf(method, metrics[method]).ended(code);
      if (count > 0)
        rows.push_back({ShortName(NameOf(method)), std::string(StatusCodeName(code)), Grouped(count)});
    }
  }
  if (rows.empty()) return Section("Errors since the start", "<p>None.</p>\n");
  return Section("Errors since the start", Table({"method", "status", "requests"}, rows, 2));
}

std::string Rejections(const Metrics& metrics) {
  std::vector<Cells> rows;
  for (size_t i = 0; i < kRejections; ++i) {
    const auto reason = static_cast<Rejection>(i);
    rows.push_back({std::string(NameOf(reason)), Grouped(metrics.rejected(reason))});
  }
  return Section("Rejections since the start", Table({"reason", "requests"}, rows, 1));
}

const char* KindName(NormKind kind) {
  switch (kind) {
    case NormKind::kLayerNorm:
      return "layer_norm";
    case NormKind::kRmsNorm:
      return "rms_norm";
    case NormKind::kBatchNorm:
      return "batch_norm";
  }
  return "";
}

std::string Layers(const LayerRegistry* layers) {
  if (layers == nullptr) return Section("Layers", "<p>Being loaded.</p>\n");
  std::vector<Cells> rows;
  for (const auto& [name, served] : *layers) {
    if (rows.size() == kMaxLayers) break;
    const Layer& layer = served->layer;
    rows.push_back({name, KindName(layer.kind), layer.hidden > 0 ? absl::StrCat(layer.hidden) : "any",
                    absl::StrCat(layer.epsilon)});
  }
  std::string html = Table({"name", "kind", "hidden", "epsilon"}, rows, 2);
  if (layers->size() > rows.size()) {
    absl::StrAppend(&html, "<p>and ", layers->size() - rows.size(),
                    " more: normctl layers lists them all</p>\n");
  }
  return Section("Layers", html);
}

std::string Settings(const PageFacts& facts) {
  std::vector<Cells> rows;
  for (const auto& [name, value] : facts.settings) {
    if (rows.size() < kMaxSettings) rows.push_back({name, value.empty() ? "\u2013" : value});
  }
  return Section("Settings", Table({"option", "value"}, rows, 2));
}

}  // namespace

std::string StatusPage(const Metrics& metrics, const PageFacts& facts, const Recent& recent,
                       const LayerRegistry* layers) {
  const LatencySummary latencies = SummaryOf(metrics);
  return absl::StrCat(
      "<!doctype html>\n<html lang=en><head><meta charset=utf-8>"
      "<meta name=viewport content='width=device-width, initial-scale=1'><title>normd: ",
      Escape(TextOf(metrics.phase())), "</title><link rel=icon href='data:,'><style>", kStyle,
      "</style></head>\n<body><main>\n", Header(metrics, facts), Tiles(metrics, recent, latencies),
      "<div class=pair>", LastMinute(recent), Latency(latencies), "</div>\n", Methods(metrics),
      "<div class=pair>", Errors(metrics), Rejections(metrics), "</div>\n", Layers(layers), Settings(facts),
      "<p>For machines: <a href=/metrics>/metrics</a>, <a href=/livez>/livez</a>, <a "
      "href=/readyz>/readyz</a></p>\n",
      "</main></body></html>\n");
}

}  // namespace normd
