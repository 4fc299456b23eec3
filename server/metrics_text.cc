// SPDX-License-Identifier: Apache-2.0
#include "metrics_text.h"

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <utility>
#include <vector>

#include "process_stats.h"

namespace normd {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

using Labels = std::vector<ClientMetric::Label>;

// A family under construction.
class Family {
 public:
  Family(const char* name, MetricType type, const char* help) : family_{name, help, type, {}} {}

  void Add(Labels labels, double value) {
    ClientMetric metric;
    metric.label = std::move(labels);
    (family_.type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
    family_.metric.push_back(std::move(metric));
  }
  void Add(Labels labels, uint64_t value) { Add(std::move(labels), static_cast<double>(value)); }
  void Add(Labels labels, const Latencies& latencies);

  MetricFamily Take() { return std::move(family_); }

 private:
  MetricFamily family_;
};

void Family::Add(Labels labels, const Latencies& latencies) {
  ClientMetric metric;
  metric.label = std::move(labels);
  uint64_t below = 0;
  for (size_t i = 0; i < Latencies::kBounds; ++i) {
    below += latencies.bucket(i);
    metric.histogram.bucket.push_back({below, Latencies::Bound(i)});
  }
  // The serializer writes the bucket without a bound from this count.
  metric.histogram.sample_count = below + latencies.bucket(Latencies::kBounds);
  metric.histogram.sample_sum = latencies.sum_seconds();
  family_.metric.push_back(std::move(metric));
}

ClientMetric::Label Label(const char* name, std::string_view value) { return {name, std::string(value)}; }

// Whose names a family has: go-grpc-prometheus', for every method, or normd's, for those that normalize.
enum class Names { kStock, kOurs };

bool Covers(Names names, Method method) { return names == Names::kStock || NameOf(method).normalizes; }

Labels LabelsOf(Names names, Method method) {
  const MethodName& name = NameOf(method);
  if (names == Names::kOurs) return {Label("service", name.service), Label("method", name.method)};
  return {Label("grpc_type", name.type), Label("grpc_service", name.service),
          Label("grpc_method", name.method)};
}

Labels With(Labels labels, ClientMetric::Label label) {
  labels.push_back(std::move(label));
  return labels;
}

// Codes that never occurred are left out, but for OK: seventeen lines for each method would say nothing.
void AddCodes(Family* family, const Labels& labels, const char* code_label, const Tally& tally) {
  for (size_t code = 0; code < kStatusCodes; ++code) {
    const uint64_t count = tally.ended(code);
    if (code == 0 || count > 0) family->Add(With(labels, Label(code_label, StatusCodeName(code))), count);
  }
}

class MetricsCollectable : public prometheus::Collectable {
 public:
  MetricsCollectable(const Metrics& metrics, const BuildInfo& build) : metrics_(metrics), build_(build) {}

  std::vector<MetricFamily> Collect() const override {
    std::vector<MetricFamily> families;
    CollectCalls(&families);
    CollectRequests(&families);
    CollectServer(&families);
    CollectProcess(&families);
    return families;
  }

 private:
  // A family with what `add` adds for each method.
  template <class AddMethod>
  MetricFamily PerMethod(Names names, Family family, const AddMethod& add) const {
    for (size_t i = 0; i < kMethods; ++i) {
      const auto method = static_cast<Method>(i);
      if (Covers(names, method)) add(&family, LabelsOf(names, method), method, metrics_[method]);
    }
    return family.Take();
  }

  // A counter with what `count` gives of each method.
  template <class CountOf>
  MetricFamily Counter(Names names, const char* name, const char* help, const CountOf& count) const {
    return PerMethod(names, Family(name, MetricType::Counter, help),
                     [&](Family* family, Labels labels, Method, const MethodMetrics& counts) {
                       family->Add(std::move(labels), uint64_t{count(counts)});
                     });
  }

  void CollectCalls(std::vector<MetricFamily>* families) const;
  void CollectRequests(std::vector<MetricFamily>* families) const;
  void CollectServer(std::vector<MetricFamily>* families) const;
  static void CollectProcess(std::vector<MetricFamily>* families);

  const Metrics& metrics_;
  const BuildInfo& build_;
};

void MetricsCollectable::CollectCalls(std::vector<MetricFamily>* families) const {
  const auto add_codes = [](Family* family, const Labels& labels, Method, const MethodMetrics& counts) {
    AddCodes(family, labels, "grpc_code", counts.calls);
  };
  const auto add_latencies = [](Family* family, Labels labels, Method, const MethodMetrics& counts) {
    family->Add(std::move(labels), counts.calls.latencies());
  };
  families->push_back(Counter(Names::kStock, "grpc_server_started_total", "RPCs started",
                              [](const MethodMetrics& counts) { return counts.calls.begun(); }));
  families->push_back(
      PerMethod(Names::kStock,
                {"grpc_server_handled_total", MetricType::Counter, "RPCs ended, by status code"}, add_codes));
  families->push_back(PerMethod(
      Names::kStock,
      {"grpc_server_handling_seconds", MetricType::Histogram, "Time from an RPC's arrival to its status"},
      add_latencies));
  families->push_back(Counter(Names::kStock, "grpc_server_msg_received_total", "Messages received",
                              [](const MethodMetrics& counts) { return counts.received.value(); }));
  families->push_back(Counter(Names::kStock, "grpc_server_msg_sent_total", "Messages sent",
                              [](const MethodMetrics& counts) { return counts.sent.value(); }));
}

void MetricsCollectable::CollectRequests(std::vector<MetricFamily>* families) const {
  const auto add_codes = [](Family* family, const Labels& labels, Method method,
                            const MethodMetrics& counts) {
    AddCodes(family, labels, "code", RequestsOf(method, counts));
  };
  const auto add_latencies = [](Family* family, Labels labels, Method method, const MethodMetrics& counts) {
    family->Add(std::move(labels), RequestsOf(method, counts).latencies());
  };
  const auto add_in_flight = [](Family* family, Labels labels, Method, const MethodMetrics& counts) {
    family->Add(std::move(labels), counts.calls.in_flight());
  };
  families->push_back(PerMethod(Names::kOurs,
                                {"normd_requests_total", MetricType::Counter,
                                 "Requests answered, by status code: calls, and each message of a stream"},
                                add_codes));
  families->push_back(PerMethod(Names::kOurs,
                                {"normd_request_seconds", MetricType::Histogram,
                                 "Time from a whole request's arrival to its answer's hand-over to gRPC"},
                                add_latencies));
  families->push_back(PerMethod(
      Names::kOurs, {"normd_calls_in_flight", MetricType::Gauge, "RPCs begun and not ended"}, add_in_flight));
  families->push_back(Counter(Names::kOurs, "normd_request_bytes_total", "Bytes of the messages received",
                              [](const MethodMetrics& counts) { return counts.received_bytes.value(); }));
  families->push_back(Counter(Names::kOurs, "normd_response_bytes_total", "Bytes of the messages sent",
                              [](const MethodMetrics& counts) { return counts.sent_bytes.value(); }));
  families->push_back(Counter(Names::kOurs, "normd_rows_total", "Rows normalized",
                              [](const MethodMetrics& counts) { return counts.rows.value(); }));
}

void MetricsCollectable::CollectServer(std::vector<MetricFamily>* families) const {
  Family rejections("normd_rejections_total", MetricType::Counter,
                    "Requests without a result though nothing was wrong with them, by reason");
  for (size_t i = 0; i < kRejections; ++i) {
    const auto reason = static_cast<Rejection>(i);
    rejections.Add({Label("reason", NameOf(reason))}, metrics_.rejected(reason));
  }
  families->push_back(rejections.Take());
  Family build("normd_build_info", MetricType::Gauge, "What runs here; always 1");
  build.Add({Label("version", build_.version), Label("target", build_.target),
             Label("numerics_revision", std::to_string(build_.numerics_revision))},
            1.0);
  families->push_back(build.Take());
  Family layers("normd_layers", MetricType::Gauge, "Layers that requests can name");
  layers.Add({}, uint64_t{metrics_.layers()});
  families->push_back(layers.Take());
  Family serving("normd_serving", MetricType::Gauge,
                 "1 while requests are taken, 0 before and while draining");
  serving.Add({}, metrics_.phase() == Phase::kServing ? 1.0 : 0.0);
  families->push_back(serving.Take());
}

void MetricsCollectable::CollectProcess(std::vector<MetricFamily>* families) {
  const ProcessStats stats = ReadProcessStats();
  const auto add = [&](const char* name, MetricType type, const char* help, double value) {
    Family family(name, type, help);
    family.Add({}, value);
    families->push_back(family.Take());
  };
  add("process_start_time_seconds", MetricType::Gauge, "Start time since the epoch in seconds",
      stats.start_time_seconds);
  add("process_cpu_seconds_total", MetricType::Counter, "User and system CPU time in seconds",
      stats.cpu_seconds);
  add("process_resident_memory_bytes", MetricType::Gauge, "Resident memory in bytes",
      static_cast<double>(stats.resident_bytes));
  add("process_virtual_memory_bytes", MetricType::Gauge, "Virtual memory in bytes",
      static_cast<double>(stats.virtual_bytes));
  add("process_open_fds", MetricType::Gauge, "Open file descriptors", static_cast<double>(stats.open_files));
  add("process_max_fds", MetricType::Gauge, "Most file descriptors that may be open",
      static_cast<double>(stats.max_files));
}

}  // namespace

std::string MetricsText(const Metrics& metrics, const BuildInfo& build) {
  return prometheus::TextSerializer().Serialize(MetricsCollectable(metrics, build).Collect());
}

}  // namespace normd
