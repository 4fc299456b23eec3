// SPDX-License-Identifier: Apache-2.0
#include "fake_server.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>
#include <vector>

namespace normd {
namespace {

std::string PlusOne(const std::string& data) {
  std::vector<float> values(data.size() / sizeof(float));
  std::copy_n(data.data(), data.size(), reinterpret_cast<char*>(values.data()));
  for (float& value : values) value += 1;
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

void AddOutputs(const v1::NormalizeRequest& request, int64_t rows, v1::NormalizeResponse* response) {
  for (const int output : request.outputs()) {
    if (output == v1::RESIDUAL_SUM) response->set_residual_sum(request.residual());
    for (int64_t row = 0; row < rows; ++row) {
      if (output == v1::MEAN) response->add_mean(static_cast<float>(row) + 10);
      if (output == v1::RSTD) response->add_rstd(static_cast<float>(row) + 20);
    }
  }
}

void Answer(const v1::NormalizeRequest& request, v1::NormalizeResponse* response) {
  const int64_t hidden = std::max<int64_t>(request.hidden(), 1);
  const bool is_float = request.data_type() == v1::FLOAT32;
  const int64_t rows = static_cast<int64_t>(request.data().size() / (is_float ? 4 : 2)) / hidden;
  response->set_request_id(request.request_id());
  response->set_hidden(request.hidden());
  *response->mutable_token_counts() = request.token_counts();
  if (request.token_counts().empty()) response->add_token_counts(rows);
  AddOutputs(request, rows, response);
  response->mutable_timings()->set_queue_ns(100);
  response->mutable_timings()->set_compute_ns(200);
  response->mutable_timings()->set_total_ns(400);
  response->set_data(is_float ? PlusOne(request.data()) : request.data());
  if (request.layer() == "short") response->mutable_data()->pop_back();
}

// What the special layers do; OK where the request is to be answered.
grpc::Status Refuse(grpc::ServerContext* context, const v1::NormalizeRequest& request) {
  if (request.layer() == "missing") return {grpc::StatusCode::NOT_FOUND, "no layer of that name"};
  while (request.layer() == "slow" && !context->IsCancelled()) std::this_thread::yield();
  return grpc::Status::OK;
}

}  // namespace

void FakeNormalizer::Keep(const grpc::ServerContext& context, const v1::NormalizeRequest& request) {
  const std::lock_guard lock(mutex_);
  last_request_ = request;
  last_metadata_.clear();
  for (const auto& [key, value] : context.client_metadata()) {
    last_metadata_.emplace(std::string(key.data(), key.size()), std::string(value.data(), value.size()));
  }
}

v1::NormalizeRequest FakeNormalizer::last_request() {
  const std::lock_guard lock(mutex_);
  return last_request_;
}

std::string FakeNormalizer::last_metadata(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = last_metadata_.find(key);
  return found == last_metadata_.end() ? "" : found->second;
}

grpc::Status FakeNormalizer::Normalize(grpc::ServerContext* context, const v1::NormalizeRequest* request,
                                       v1::NormalizeResponse* response) {
  Keep(*context, *request);
  if (grpc::Status status = Refuse(context, *request); !status.ok()) return status;
  Answer(*request, response);
  return grpc::Status::OK;
}

grpc::Status FakeNormalizer::NormalizeStream(
    grpc::ServerContext* context,
    grpc::ServerReaderWriter<v1::NormalizeStreamResponse, v1::NormalizeRequest>* stream) {
  v1::NormalizeRequest request;
  while (stream->Read(&request)) {
    if (request.layer() == "broken stream") return {grpc::StatusCode::DATA_LOSS, "the stream broke"};
    v1::NormalizeStreamResponse response;
    const grpc::Status status = Refuse(context, request);
    if (status.ok()) {
      Answer(request, response.mutable_result());
    } else {
      response.mutable_error()->set_code(status.error_code());
      response.mutable_error()->set_message(status.error_message());
      response.mutable_error()->set_request_id(request.request_id());
    }
    stream->Write(response);
  }
  return grpc::Status::OK;
}

grpc::Status FakeNormalizer::ListLayers(grpc::ServerContext*, const v1::ListLayersRequest*,
                                        v1::ListLayersResponse* response) {
  v1::Layer* built_in = response->add_layers();
  built_in->set_name("layer_norm");
  built_in->set_kind(v1::LAYER_NORM);
  built_in->set_epsilon(1e-5);
  v1::Layer* loaded = response->add_layers();
  loaded->set_name("minilm/embeddings.LayerNorm");
  loaded->set_kind(v1::LAYER_NORM);
  loaded->set_hidden(384);
  loaded->set_epsilon(1e-12);
  loaded->set_has_gamma(true);
  loaded->set_has_beta(true);
  loaded->set_parameter_type(v1::FLOAT32);
  loaded->set_checkpoint("model.safetensors");
  return grpc::Status::OK;
}

grpc::Status FakeNormalizer::GetServerInfo(grpc::ServerContext*, const v1::GetServerInfoRequest*,
                                           v1::GetServerInfoResponse* response) {
  response->set_version("9.8.7");
  response->set_numerics_revision(3);
  response->add_targets("avx2");
  response->add_targets("scalar");
  response->set_active_target("scalar");
  response->mutable_limits()->set_max_message_bytes(1 << 30);
  response->mutable_limits()->set_max_sequences(1 << 20);
  response->mutable_limits()->set_max_request_id_bytes(1024);
  return grpc::Status::OK;
}

grpc::Status FakeHealth::Check(grpc::ServerContext*, const grpc::health::v1::HealthCheckRequest* request,
                               grpc::health::v1::HealthCheckResponse* response) {
  if (request->service() == "unknown") return {grpc::StatusCode::NOT_FOUND, "unknown service"};
  response->set_status(request->service() == "down" ? grpc::health::v1::HealthCheckResponse::NOT_SERVING
                                                    : grpc::health::v1::HealthCheckResponse::SERVING);
  return grpc::Status::OK;
}

FakeServer::FakeServer() {
  std::string name = std::filesystem::temp_directory_path() / "normd_client_XXXXXX";
  folder_ = mkdtemp(name.data());
  address_ = "unix:" + folder_ + "/socket";
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(-1);
  builder.AddListeningPort(address_, grpc::InsecureServerCredentials());
  builder.RegisterService(&normalizer_);
  builder.RegisterService(&health_);
  server_ = builder.BuildAndStart();
}

FakeServer::~FakeServer() {
  server_->Shutdown(std::chrono::system_clock::now());
  std::filesystem::remove_all(folder_);
}

}  // namespace normd
