// SPDX-License-Identifier: Apache-2.0
#include "grpc_server.h"

#include <grpc/grpc.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>

#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "access.h"
#include "health.h"
#include "info.h"
#include "listen_address.h"
#include "normalize_call.h"
#include "normd/v1/normalizer.grpc.pb.h"
#include "stream_call.h"
#include "tls.h"
#include "unary_call.h"

namespace normd {
namespace {

// The hot methods are registered raw, so that tokens are read where gRPC left them and malformed bytes get a
// text of ours; by their names still, so that reflection lists them.
using NormalizerService = v1::Normalizer::WithRawMethod_Normalize<
    v1::Normalizer::WithRawMethod_NormalizeStream<v1::Normalizer::WithAsyncMethod_ListLayers<
        v1::Normalizer::WithAsyncMethod_GetServerInfo<v1::Normalizer::Service>>>>;

// Of what plugins serve, which is reflection.
class WithoutPlugins : public grpc::ServerBuilderOption {
 public:
  void UpdateArguments(grpc::ChannelArguments* /*arguments*/) override {}
  void UpdatePlugins(std::vector<std::unique_ptr<grpc::ServerBuilderPlugin>>* plugins) override {
    plugins->clear();
  }
};

// The handlers of one poller; its thread alone runs them.
class PollerMethods {
 public:
  PollerMethods(NormalizerService* normalizer, grpc::health::v1::Health::AsyncService* health,
                NormalizeShared shared, int64_t max_message_bytes, const ServingState* state)
      : normalizer_(normalizer),
        health_(health),
        shared_(std::move(shared)),
        max_message_bytes_(max_message_bytes),
        state_(state) {}

  void AskForCalls(Poller* poller);

 private:
  NormalizerService* normalizer_;
  grpc::health::v1::Health::AsyncService* health_;
  NormalizeShared shared_;
  int64_t max_message_bytes_;
  const ServingState* state_;
  NormalizeMethod normalize_;
  UnaryMethod<v1::ListLayersRequest, v1::ListLayersResponse> list_layers_;
  UnaryMethod<v1::GetServerInfoRequest, v1::GetServerInfoResponse> get_server_info_;
  UnaryMethod<grpc::health::v1::HealthCheckRequest, grpc::health::v1::HealthCheckResponse> check_;
  StreamMethod stream_;
};

void PollerMethods::AskForCalls(Poller* poller) {
  normalize_ = {[this](auto* context, auto* request, auto* writer, auto* queue, void* tag) {
                  normalizer_->RequestNormalize(context, request, writer, queue, queue, tag);
                },
                &shared_};
  list_layers_ = {[this](auto* context, auto* request, auto* writer, auto* queue, void* tag) {
                    normalizer_->RequestListLayers(context, request, writer, queue, queue, tag);
                  },
                  [this](const auto&, const auto&, auto* response) {
                    ListLayers(*shared_.layers, response);
                    return grpc::Status::OK;
                  },
                  shared_.metrics,
                  shared_.log,
                  shared_.access,
                  Method::kListLayers};
  get_server_info_ = {[this](auto* context, auto* request, auto* writer, auto* queue, void* tag) {
                        normalizer_->RequestGetServerInfo(context, request, writer, queue, queue, tag);
                      },
                      [this](const auto&, const auto&, auto* response) {
                        GetServerInfo(*shared_.layers, max_message_bytes_, response);
                        return grpc::Status::OK;
                      },
                      shared_.metrics,
                      shared_.log,
                      shared_.access,
                      Method::kGetServerInfo};
  check_ = {[this](auto* context, auto* request, auto* writer, auto* queue, void* tag) {
              health_->RequestCheck(context, request, writer, queue, queue, tag);
            },
            [this](const auto&, const auto& request, auto* response) {
              return CheckHealth(*state_, request, response);
            },
            shared_.metrics,
            shared_.log,
            shared_.access,
            Method::kHealthCheck};
  stream_ = {[this](auto* context, auto* stream, auto* queue, void* tag) {
               normalizer_->RequestNormalizeStream(context, stream, queue, queue, tag);
             },
             &shared_, state_};
  NormalizeCall::AskForCalls(poller, &normalize_);
  new UnaryCall(poller, &list_layers_);
  new UnaryCall(poller, &get_server_info_);
  new UnaryCall(poller, &check_);
  new StreamCall(poller, &stream_);
  new WatchCall(poller, health_, state_, shared_.metrics);
}

class GrpcServerImpl : public GrpcServer {
 public:
  GrpcServerImpl(GrpcServerOptions options, const LayerRegistry* layers, Metrics* metrics)
      : options_(std::move(options)),
        layers_(layers),
        metrics_(metrics),
        admission_(options_.max_requests_in_flight, options_.max_bytes_in_flight),
        workers_(options_.threads) {}
  ~GrpcServerImpl() override { Drain(std::chrono::milliseconds(0)); }

  absl::Status Start();
  void SetServing() override { TellServing(true); }
  void SetNotServing() override { TellServing(false); }
  void Drain(std::chrono::milliseconds grace) override;
  const std::vector<std::string>& addresses() const override { return addresses_; }
  std::shared_ptr<grpc::Channel> InProcessChannel() override { return server_->InProcessChannel({}); }

 private:
  void Configure(grpc::ServerBuilder* builder);
  void LimitConnections(grpc::ServerBuilder* builder) const;
  absl::Status Secure(grpc::ServerBuilder* builder);
  void TellServing(bool serving);
  void NotifyPollers();

  GrpcServerOptions options_;
  const LayerRegistry* layers_;
  Metrics* metrics_;
  RequestLog log_;
  Access access_;
  Admission admission_;
  Workers workers_;
  ServingState state_;
  NormalizerService normalizer_;
  grpc::health::v1::Health::AsyncService health_;
  std::vector<std::unique_ptr<PollerMethods>> methods_;
  std::vector<std::unique_ptr<Poller>> pollers_;
  std::vector<std::shared_ptr<grpc::ServerCredentials>> credentials_;  // of each address
  std::unique_ptr<grpc::Server> server_;
  std::vector<std::string> addresses_;
  std::vector<int> ports_;
};

void GrpcServerImpl::LimitConnections(grpc::ServerBuilder* builder) const {
  builder->SetResourceQuota(
      grpc::ResourceQuota("normd").Resize(static_cast<size_t>(options_.memory_quota_bytes)));
  builder->AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, options_.max_concurrent_streams);
  builder->AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, options_.max_metadata_bytes);
  if (options_.max_connection_age_seconds > 0) {
    builder->AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_MS, options_.max_connection_age_seconds * 1000);
    builder->AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS,
                                options_.max_connection_age_grace_seconds * 1000);
  }
  // Clients that ping every few seconds, with calls or without, are welcome.
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder->AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 1000);
}

void GrpcServerImpl::Configure(grpc::ServerBuilder* builder) {
  builder->RegisterService(&normalizer_).RegisterService(&health_);
  builder->SetMaxReceiveMessageSize(static_cast<int>(options_.max_message_bytes));
  builder->SetMaxSendMessageSize(-1);
  // With it, a second server on the same port would start silently.
  builder->AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  // 194 KB of gzip can hold 200 MB of zeros, past every limit on a message's size.
  builder->SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, options_.accept_compression);
  builder->SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, options_.accept_compression);
  LimitConnections(builder);
  ports_.resize(options_.listen.size());
  for (size_t i = 0; i < ports_.size(); ++i) {
    builder->AddListeningPort(options_.listen[i], credentials_[i], &ports_[i]);
  }
  for (int i = 0; i < options_.polling_threads; ++i) {
    pollers_.push_back(std::make_unique<Poller>(builder->AddCompletionQueue(),
                                                std::chrono::microseconds(options_.spin_microseconds)));
    methods_.push_back(std::make_unique<PollerMethods>(
        &normalizer_, &health_, NormalizeShared{layers_, &admission_, &workers_, metrics_, &log_, &access_},
        options_.max_message_bytes, &state_));
  }
}

// gRPC's plugin answers reflection past every handler here, so that it goes where calls need a token.
absl::Status GrpcServerImpl::Secure(grpc::ServerBuilder* builder) {
  for (const std::string& address : options_.listen) {
    const bool plain = options_.tls.certificates.empty() || IsUnix(address);
    auto credentials = plain ? grpc::InsecureServerCredentials() : TlsCredentials(options_.tls);
    if (!credentials.ok()) return credentials.status();
    credentials_.push_back(*std::move(credentials));
  }
  if (options_.token_file.empty()) return absl::OkStatus();
  builder->SetOption(std::make_unique<WithoutPlugins>());
  return access_.RequireToken(options_.token_file);
}

absl::Status GrpcServerImpl::Start() {
  for (const std::string& address : options_.listen) {
    if (auto status = PrepareListenAddress(address); !status.ok()) return status;
  }
  // Keeps gRPC up until the process ends: taking it down waits for a poller of its own, which may sleep for
  // 10 s after a write that had to wait.
  [[maybe_unused]] static const bool kept_up = (grpc_init(), true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  if (auto status = Secure(&builder); !status.ok()) return status;
  Configure(&builder);
  server_ = builder.BuildAndStart();
  for (size_t i = 0; i < ports_.size(); ++i) {
    std::string address = options_.listen[i];
    if (server_ == nullptr || ports_[i] == 0)
      return absl::UnavailableError(absl::StrCat("cannot listen on ", address));
    if (address.ends_with(":0")) address.replace(address.size() - 1, 1, std::to_string(ports_[i]));
    addresses_.push_back(std::move(address));
  }
  if (server_ == nullptr) return absl::InternalError("gRPC did not start the server");
  for (size_t i = 0; i < pollers_.size(); ++i) {
    methods_[i]->AskForCalls(pollers_[i].get());
    pollers_[i]->Start();
  }
  return absl::OkStatus();
}

void GrpcServerImpl::NotifyPollers() {
  for (auto& poller : pollers_) poller->Notify();
}

void GrpcServerImpl::TellServing(bool serving) {
  state_.serving = serving;
  NotifyPollers();
}

void GrpcServerImpl::Drain(std::chrono::milliseconds grace) {
  if (server_ == nullptr) return;
  state_.serving = false;
  state_.draining = true;
  NotifyPollers();
  const auto end = std::chrono::system_clock::now() + grace;
  std::thread shutdown([&] { server_->Shutdown(end); });
  for (auto& poller : pollers_) poller->AwaitLastPlace();
  // Where a call arrives at the moment of the shutdown, gRPC can queue it for a place that nobody will ask
  // for, and would wait for it until the grace is over.
  grpc_server_cancel_all_calls(server_->c_server());
  shutdown.join();
  for (auto& poller : pollers_) poller->Join();
  server_.reset();
  for (const std::string& address : addresses_) RemoveSocketFile(address);
}

}  // namespace

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Start(const GrpcServerOptions& options,
                                                              const LayerRegistry* layers, Metrics* metrics) {
  auto server = std::make_unique<GrpcServerImpl>(options, layers, metrics);
  if (auto status = server->Start(); !status.ok()) return status;
  return std::unique_ptr<GrpcServer>(std::move(server));
}

}  // namespace normd
