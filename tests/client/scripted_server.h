// SPDX-License-Identifier: Apache-2.0
//
// A server inside the test that answers as the test says, right or wrong.

#ifndef NORMD_TESTS_CLIENT_SCRIPTED_SERVER_H_
#define NORMD_TESTS_CLIENT_SCRIPTED_SERVER_H_

#include <grpcpp/server.h>

#include <functional>
#include <memory>
#include <string>

#include "normd/v1/normalizer.grpc.pb.h"

namespace normd {

class ScriptedServer final : public v1::Normalizer::Service {
 public:
  using Script = std::function<grpc::Status(const grpc::ServerContext&, const v1::NormalizeRequest&,
                                            v1::NormalizeResponse*)>;

  explicit ScriptedServer(Script script);
  ~ScriptedServer() override;

  const std::string& address() const { return address_; }

 private:
  using ServerStream = grpc::ServerReaderWriter<v1::NormalizeStreamResponse, v1::NormalizeRequest>;

  grpc::Status Normalize(grpc::ServerContext* context, const v1::NormalizeRequest* request,
                         v1::NormalizeResponse* response) override;
  grpc::Status NormalizeStream(grpc::ServerContext* context, ServerStream* stream) override;

  const Script script_;
  std::string address_;
  std::unique_ptr<grpc::Server> server_;
};

// Answers with the tokens themselves and zeros for what else was asked for.
grpc::Status Echo(const grpc::ServerContext&, const v1::NormalizeRequest& request,
                  v1::NormalizeResponse* response);

}  // namespace normd

#endif  // NORMD_TESTS_CLIENT_SCRIPTED_SERVER_H_
