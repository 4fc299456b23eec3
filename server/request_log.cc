// SPDX-License-Identifier: Apache-2.0
#include "request_log.h"

#include <spdlog/spdlog.h>

#include <vector>

#include "log.h"
#include "trace_context.h"

namespace normd {
namespace {

// The value of a key of the call's metadata; empty where it has none.
std::string_view MetadataOf(const grpc::ServerContext& context, const char* key) {
  const auto found = context.client_metadata().find(key);
  if (found == context.client_metadata().end()) return {};
  return {found->second.data(), found->second.size()};
}

std::vector<LogField> FieldsOf(const RequestEvent& event) {
  const MethodName& name = NameOf(event.method);
  std::vector<LogField> fields = {{"method", std::string(name.service) + "/" + std::string(name.method)},
                                  {"code", std::string(StatusCodeName(static_cast<size_t>(event.code)))},
                                  {"seconds", std::chrono::duration<double>(event.latency).count()},
                                  {"peer", event.context.peer()}};
  const auto add = [&](const char* field, std::string_view value) {
    if (!value.empty()) fields.push_back({field, std::string(value)});
  };
  add("request_id", event.request_id.empty() ? MetadataOf(event.context, "x-request-id") : event.request_id);
  add("traceparent", ValidTraceparent(MetadataOf(event.context, "traceparent")));
  add("error", event.error);
  return fields;
}

void ReportSuppressed(uint64_t count) {
  if (count == 0) return;
  const LogField field = {"count", static_cast<double>(count)};
  LogEvent(spdlog::level::warn, "failed requests that were not logged", {&field, 1});
}

}  // namespace

RequestLog::~RequestLog() {
  const absl::MutexLock lock(&mutex_);
  ReportSuppressed(failures_.TakeSuppressed());
}

bool RequestLog::AllowFailure(uint64_t* suppressed) {
  const absl::MutexLock lock(&mutex_);
  if (!failures_.Allow(Clock::now())) return false;
  *suppressed = failures_.TakeSuppressed();
  return true;
}

void RequestLog::Record(const RequestEvent& event) {
  if (spdlog::should_log(spdlog::level::debug)) {
    LogEvent(event.code == 0 ? spdlog::level::debug : spdlog::level::warn,
             event.code == 0 ? "request" : "request failed", FieldsOf(event));
    return;
  }
  uint64_t suppressed = 0;
  if (event.code == 0 || !AllowFailure(&suppressed)) return;
  ReportSuppressed(suppressed);
  LogEvent(spdlog::level::warn, "request failed", FieldsOf(event));
}

}  // namespace normd
