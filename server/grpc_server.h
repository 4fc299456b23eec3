// SPDX-License-Identifier: Apache-2.0
//
// The gRPC transport: listeners, completion queues and the RPCs on them.

#ifndef NORMD_SERVER_GRPC_SERVER_H_
#define NORMD_SERVER_GRPC_SERVER_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "layer_registry.h"
#include "metrics.h"
#include "security/pem_files.h"

namespace grpc {
class Channel;
}

namespace normd {

struct GrpcServerOptions {
  std::vector<std::string> listen;  // host:port or unix:/path; none: reached in process alone
  Pem tls = {};                     // files for TLS on TCP; without a certificate it is plain
  std::string token_file = {};      // of the bearer token that calls must carry; empty: none
  int64_t max_message_bytes = int64_t{64} << 20;
  int polling_threads = 1;
  int threads = 1;  // that take large messages
  int64_t max_requests_in_flight = 1024;
  int64_t max_bytes_in_flight = int64_t{1} << 30;  // of requests and their answers
  int64_t memory_quota_bytes = int64_t{1} << 30;   // gRPC's own
  int max_concurrent_streams = 256;                // of one connection
  int max_metadata_bytes = 8192;                   // of one call
  bool accept_compression = false;
  int spin_microseconds = 0;
  int max_connection_age_seconds = 0;  // 0: none
  int max_connection_age_grace_seconds = 20;
};

class GrpcServer {
 public:
  virtual ~GrpcServer() = default;

  // Listens and polls, and answers health checks with NOT_SERVING until SetServing. `layers` and `metrics`
  // must outlive the server. Errors: InvalidArgument for an address that is none; Unavailable that names the
  // address and why it cannot be listened on.
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Start(const GrpcServerOptions& options,
                                                           const LayerRegistry* layers, Metrics* metrics);

  virtual void SetServing() = 0;
  // Health checks are told so; calls are still answered.
  virtual void SetNotServing() = 0;

  // Stops listening, lets the calls in flight finish for as long as `grace`, cancels the rest, and returns.
  virtual void Drain(std::chrono::milliseconds grace) = 0;

  // The addresses as they are listened on: a port 0 has become the one that was given.
  virtual const std::vector<std::string>& addresses() const = 0;

  virtual std::shared_ptr<grpc::Channel> InProcessChannel() = 0;
};

}  // namespace normd

#endif  // NORMD_SERVER_GRPC_SERVER_H_
