// SPDX-License-Identifier: Apache-2.0
#include "scripted_server.h"

#include <grpc/grpc.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace normd {

ScriptedServer::ScriptedServer(Script script) : script_(std::move(script)) {
  // Keeps gRPC up between tests: taking it down waits for a poller of its own that may sleep for 10 s.
  [[maybe_unused]] static const bool kept_up = (grpc_init(), true);
  // A socket of its own for each server: tests run beside one another.
  static int count = 0;
  address_ = "unix:/tmp/normd_test_" + std::to_string(getpid()) + "_" + std::to_string(++count);
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address_, grpc::InsecureServerCredentials());
  builder.RegisterService(this);
  server_ = builder.BuildAndStart();
}

ScriptedServer::~ScriptedServer() { server_->Shutdown(); }

grpc::Status ScriptedServer::Normalize(grpc::ServerContext* context, const v1::NormalizeRequest* request,
                                       v1::NormalizeResponse* response) {
  return script_(*context, *request, response);
}

grpc::Status ScriptedServer::NormalizeStream(grpc::ServerContext* context, ServerStream* stream) {
  v1::NormalizeRequest request;
  while (stream->Read(&request)) {
    v1::NormalizeStreamResponse answer;
    const grpc::Status status = script_(*context, request, answer.mutable_result());
    if (!status.ok()) {
      answer.mutable_error()->set_code(status.error_code());
      answer.mutable_error()->set_message(status.error_message());
    }
    if (!stream->Write(answer)) break;
  }
  return grpc::Status::OK;
}

grpc::Status Echo(const grpc::ServerContext&, const v1::NormalizeRequest& request,
                  v1::NormalizeResponse* response) {
  response->set_request_id(request.request_id());
  response->set_hidden(request.hidden());
  response->set_data(request.data());
  const auto rows = request.data().size() / sizeof(float) / static_cast<size_t>(request.hidden());
  const auto asked = [&](int output) {
    return std::count(request.outputs().begin(), request.outputs().end(), output) > 0;
  };
  if (asked(v1::MEAN)) response->mutable_mean()->Resize(static_cast<int>(rows), 0);
  if (asked(v1::RSTD)) response->mutable_rstd()->Resize(static_cast<int>(rows), 0);
  return grpc::Status::OK;
}

}  // namespace normd
