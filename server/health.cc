// SPDX-License-Identifier: Apache-2.0
#include "health.h"

#include "to_grpc.h"

namespace normd {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

HealthStatus HealthOf(const std::string& service, const ServingState& state) {
  const bool known =
      service.empty() || service == "normd.v1.Normalizer" || service == "grpc.health.v1.Health";
  if (!known) return HealthCheckResponse::SERVICE_UNKNOWN;
  return state.serving ? HealthCheckResponse::SERVING : HealthCheckResponse::NOT_SERVING;
}

grpc::Status CheckHealth(const ServingState& state, const HealthCheckRequest& request,
                         HealthCheckResponse* response) {
  const HealthStatus status = HealthOf(request.service(), state);
  if (status == HealthCheckResponse::SERVICE_UNKNOWN) {
    return {grpc::StatusCode::NOT_FOUND, "no such service; normd.v1.Normalizer is here"};
  }
  response->set_status(status);
  return grpc::Status::OK;
}

WatchCall::WatchCall(Poller* poller, grpc::health::v1::Health::AsyncService* service,
                     const ServingState* state, Metrics* metrics)
    : poller_(poller), place_(poller), service_(service), state_(state), metrics_(metrics) {
  context_.AsyncNotifyWhenDone(done_.Begin());
  service_->RequestWatch(&context_, &request_, &writer_, poller_->queue(), poller_->queue(), ask_.Begin());
}

void WatchCall::OnAsked(bool ok) {
  if (!ok) {  // no call came, so it will not be reported done either
    delete this;
    return;
  }
  begin_ = Clock::now();
  counts().calls.Begin();
  counts().Received(SizeOf(request_));
  new WatchCall(poller_, service_, state_, metrics_);
  poller_->Enter(this);
  Notice();
}

void WatchCall::Notice() {
  if (write_.busy() || finish_.busy() || finished_) return;
  const HealthStatus status = HealthOf(request_.service(), *state_);
  if (written_ != status) {
    written_ = status;
    HealthCheckResponse response;
    response.set_status(status);
    counts().Sent(SizeOf(response));
    writer_.Write(response, write_.Begin());
  } else if (state_->draining || !done_.busy()) {
    writer_.Finish(grpc::Status::OK, finish_.Begin());
  }
}

void WatchCall::OnWritten(bool /*ok*/) { Notice(); }

// The call is over, by the client's wish or by our Finish.
void WatchCall::OnDone(bool /*ok*/) {
  Notice();
  DeleteWhenDone();
}

// A watch ends by a drain, or by the client's leaving, which is how it is meant to end.
void WatchCall::OnFinished(bool ok) {
  finished_ = true;
  counts().calls.End(ok ? grpc::StatusCode::OK : grpc::StatusCode::CANCELLED, Clock::now() - begin_);
  poller_->Leave(this);
  DeleteWhenDone();
}

void WatchCall::DeleteWhenDone() {
  if (finished_ && !done_.busy() && !write_.busy()) delete this;
}

}  // namespace normd
