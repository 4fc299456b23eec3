// SPDX-License-Identifier: Apache-2.0
#ifndef NORMD_TESTS_SERVER_SERVICE_FIXTURE_H_
#define NORMD_TESTS_SERVER_SERVICE_FIXTURE_H_

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "grpc/health/v1/health.grpc.pb.h"
#include "grpc_server.h"
#include "normd/v1/normalizer.grpc.pb.h"

namespace normd {

namespace health = grpc::health::v1;

inline constexpr int64_t kMaxMessageBytes = 1 << 20;

// A server of the built-in layer, and stubs of its services over a channel inside the process.
class ServiceTest : public testing::Test {
 protected:
  explicit ServiceTest(GrpcServerOptions options = {}) {
    options.max_message_bytes = kMaxMessageBytes;
    server_ = *GrpcServer::Start(options, &layers_, &metrics_);
    Connect(server_->InProcessChannel());
  }

  void Connect(std::shared_ptr<grpc::Channel> channel) {
    channel_ = std::move(channel);
    normalizer_ = v1::Normalizer::NewStub(channel_);
    health_ = health::Health::NewStub(channel_);
  }

  grpc::Status Normalize(const v1::NormalizeRequest& request, v1::NormalizeResponse* response) {
    grpc::ClientContext context;
    return normalizer_->Normalize(&context, request, response);
  }

  grpc::Status Check(const std::string& service, health::HealthCheckResponse* response) {
    grpc::ClientContext context;
    health::HealthCheckRequest request;
    request.set_service(service);
    return health_->Check(&context, request, response);
  }

  LayerRegistry layers_{*DefaultTarget()};
  Metrics metrics_;
  std::unique_ptr<GrpcServer> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::Normalizer::Stub> normalizer_;
  std::unique_ptr<health::Health::Stub> health_;
};

}  // namespace normd

#endif  // NORMD_TESTS_SERVER_SERVICE_FIXTURE_H_
