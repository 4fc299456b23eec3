// SPDX-License-Identifier: Apache-2.0
//
// grpc.health.v1 on our own queue. gRPC's stock service uses the callback API, whose idle threads nap for up
// to 100 ms, and an open Watch of it holds a shutdown to its deadline.

#ifndef NORMD_SERVER_HEALTH_H_
#define NORMD_SERVER_HEALTH_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/async_stream.h>

#include <optional>

#include "call.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "metrics.h"
#include "poller.h"
#include "serving_state.h"

namespace normd {

using HealthStatus = grpc::health::v1::HealthCheckResponse::ServingStatus;

// SERVICE_UNKNOWN where nothing here has that name.
HealthStatus HealthOf(const std::string& service, const ServingState& state);

grpc::Status CheckHealth(const ServingState& state, const grpc::health::v1::HealthCheckRequest& request,
                         grpc::health::v1::HealthCheckResponse* response);

// One Watch: writes the status now and at each change, and ends when the server drains.
class WatchCall : public LongCall {
 public:
  WatchCall(Poller* poller, grpc::health::v1::Health::AsyncService* service, const ServingState* state,
            Metrics* metrics);
  void Notice() override;

 private:
  void OnAsked(bool ok);
  void OnWritten(bool ok);
  void OnFinished(bool ok);
  void OnDone(bool ok);
  void DeleteWhenDone();
  MethodMetrics& counts() { return (*metrics_)[Method::kHealthWatch]; }

  Poller* poller_;
  Place place_;
  grpc::health::v1::Health::AsyncService* service_;
  const ServingState* state_;
  Metrics* metrics_;
  grpc::ServerContext context_;
  grpc::health::v1::HealthCheckRequest request_;
  grpc::ServerAsyncWriter<grpc::health::v1::HealthCheckResponse> writer_{&context_};
  Clock::time_point begin_;
  std::optional<HealthStatus> written_;
  Step<WatchCall> ask_{this, &WatchCall::OnAsked};
  Step<WatchCall> write_{this, &WatchCall::OnWritten};
  Step<WatchCall> finish_{this, &WatchCall::OnFinished};
  Step<WatchCall> done_{this, &WatchCall::OnDone};
  bool finished_ = false;
};

}  // namespace normd

#endif  // NORMD_SERVER_HEALTH_H_
