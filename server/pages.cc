// SPDX-License-Identifier: Apache-2.0
#include "pages.h"

namespace normd {

HttpResponse Pages::Ready() const {
  const Phase phase = metrics_->phase();
  if (phase == Phase::kServing) return {.body = "ready\n"};
  return {.status = 503, .body = "not ready: " + std::string(TextOf(phase)) + "\n"};
}

HttpResponse Pages::Answer(std::string_view path) const {
  if (path == "/") {
    return {.content_type = "text/html; charset=utf-8",
            .body = StatusPage(*metrics_, facts_, recent_, layers_.load(std::memory_order_acquire))};
  }
  if (path == "/metrics") {
    return {.content_type = kMetricsContentType, .body = MetricsText(*metrics_, facts_.build)};
  }
  if (path == "/livez") return {.body = "alive\n"};
  if (path == "/readyz") return Ready();
  return {.status = 404, .body = "no such page; here are /, /metrics, /livez and /readyz\n"};
}

}  // namespace normd
