// SPDX-License-Identifier: Apache-2.0
//
// A small server for the client's tests: gRPC's own generated service over a Unix socket, which shares
// neither the wire readers nor the transport with what is tested.

#ifndef NORMD_TESTS_CLIENT_FAKE_SERVER_H_
#define NORMD_TESTS_CLIENT_FAKE_SERVER_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <mutex>
#include <string>

#include "grpc/health/v1/health.grpc.pb.h"
#include "normd/v1/normalizer.grpc.pb.h"

namespace normd {

// Answers tokens + 1, which shows where each value went. Special layers: "missing" is NOT_FOUND, "slow" waits
// for the caller's deadline, "short" answers too few bytes, "broken stream" ends a stream with DATA_LOSS.
class FakeNormalizer final : public v1::Normalizer::Service {
 public:
  grpc::Status Normalize(grpc::ServerContext* context, const v1::NormalizeRequest* request,
                         v1::NormalizeResponse* response) override;
  grpc::Status NormalizeStream(
      grpc::ServerContext* context,
      grpc::ServerReaderWriter<v1::NormalizeStreamResponse, v1::NormalizeRequest>* stream) override;
  grpc::Status ListLayers(grpc::ServerContext* context, const v1::ListLayersRequest* request,
                          v1::ListLayersResponse* response) override;
  grpc::Status GetServerInfo(grpc::ServerContext* context, const v1::GetServerInfoRequest* request,
                             v1::GetServerInfoResponse* response) override;

  v1::NormalizeRequest last_request();
  std::string last_metadata(const std::string& key);

 private:
  void Keep(const grpc::ServerContext& context, const v1::NormalizeRequest& request);

  std::mutex mutex_;
  v1::NormalizeRequest last_request_;
  std::multimap<std::string, std::string> last_metadata_;
};

class FakeHealth final : public grpc::health::v1::Health::Service {
 public:
  // "down" is not serving, "unknown" is not known, all else is serving.
  grpc::Status Check(grpc::ServerContext* context, const grpc::health::v1::HealthCheckRequest* request,
                     grpc::health::v1::HealthCheckResponse* response) override;
};

class FakeServer {
 public:
  FakeServer();
  ~FakeServer();
  const std::string& address() const { return address_; }
  FakeNormalizer& normalizer() { return normalizer_; }

 private:
  std::string folder_;
  std::string address_;
  FakeNormalizer normalizer_;
  FakeHealth health_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace normd

#endif  // NORMD_TESTS_CLIENT_FAKE_SERVER_H_
