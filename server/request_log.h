// SPDX-License-Identifier: Apache-2.0
//
// A line in the log for each request that failed, and at level debug for each one.

#ifndef NORMD_SERVER_REQUEST_LOG_H_
#define NORMD_SERVER_REQUEST_LOG_H_

#include <grpcpp/server_context.h>

#include <chrono>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "metrics.h"
#include "rate_limit.h"

namespace normd {

// A request and what became of it.
struct RequestEvent {
  const grpc::ServerContext& context;
  Method method;
  int code = 0;
  std::string_view error;       // the status' text
  std::string_view request_id;  // as the message states it; empty: look for x-request-id in the metadata
  std::chrono::nanoseconds latency;
};

class RequestLog {
 public:
  static constexpr int kFailuresPerSecond = 10;

  // Says how many failures were left out and not yet reported.
  ~RequestLog();

  // From any thread. Lines about failures are limited to kFailuresPerSecond; the rest is counted and reported
  // with a later one.
  void Record(const RequestEvent& event);

 private:
  bool AllowFailure(uint64_t* suppressed);

  absl::Mutex mutex_;
  RateLimit failures_ ABSL_GUARDED_BY(mutex_){kFailuresPerSecond};
};

}  // namespace normd

#endif  // NORMD_SERVER_REQUEST_LOG_H_
