// SPDX-License-Identifier: Apache-2.0
//
// The metrics in Prometheus' text format. The names grpc_server_* are those of go-grpc-prometheus, so that
// dashboards made for it work.

#ifndef NORMD_SERVER_METRICS_TEXT_H_
#define NORMD_SERVER_METRICS_TEXT_H_

#include <string>

#include "metrics.h"

namespace normd {

// What does not change while the server runs.
struct BuildInfo {
  std::string version;
  std::string target;
  int numerics_revision = 0;
};

inline constexpr char kMetricsContentType[] = "text/plain; version=0.0.4; charset=utf-8";

std::string MetricsText(const Metrics& metrics, const BuildInfo& build);

}  // namespace normd

#endif  // NORMD_SERVER_METRICS_TEXT_H_
