// SPDX-License-Identifier: Apache-2.0
#include "normd/client.h"

#include <chrono>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "connection.h"
#include "grpc/health/v1/health.pb.h"
#include "message.h"
#include "normd/v1/normalizer.pb.h"
#include "stream.h"

namespace normd {
namespace {

const std::string kNormalize = "/normd.v1.Normalizer/Normalize";
const std::string kListLayers = "/normd.v1.Normalizer/ListLayers";
const std::string kGetServerInfo = "/normd.v1.Normalizer/GetServerInfo";
const std::string kHealthCheck = "/grpc.health.v1.Health/Check";

uint64_t NowNs() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

// Gives the lane back at the end of the call, whichever way it ends.
class LaneLoan {
 public:
  explicit LaneLoan(Connection& connection) : connection_(connection), lane_(connection.TakeLane()) {}
  LaneLoan(const LaneLoan&) = delete;
  LaneLoan& operator=(const LaneLoan&) = delete;
  ~LaneLoan() { connection_.ReturnLane(std::move(lane_)); }
  Lane& operator*() const { return *lane_; }
  Lane* operator->() const { return lane_.get(); }

 private:
  Connection& connection_;
  std::unique_ptr<Lane> lane_;
};

absl::Status CallMessage(Connection& connection, const std::string& method,
                         const google::protobuf::MessageLite& request, const CallOptions& options,
                         google::protobuf::MessageLite* response) {
  const LaneLoan lane(connection);
  grpc::ByteBuffer bytes;
  const absl::Status status = connection.Call(method, EncodeMessage(request), options, *lane, &bytes);
  return status.ok() ? DecodeMessage(bytes, response) : status;
}

absl::Status ReadAnswer(const grpc::ByteBuffer& bytes, const Batch& batch, Lane& lane, Normalized* result) {
  if (absl::Status status = lane.view.Open(bytes); !status.ok()) return status;
  if (absl::Status status = wire::ReadNormalizeResponse(lane.view.slices(), &lane.response); !status.ok()) {
    return absl::InternalError(status.message());
  }
  const absl::Status status = TakeResult(lane.view.slices(), ExpectedOf(batch), &lane.response, result);
  lane.view.Close();
  return status;
}

// The enum's own name in lower case; a number that is new to this client stays one.
std::string KindName(v1::Kind kind) {
  const std::string& name = v1::Kind_Name(kind);
  return name.empty() ? std::to_string(kind) : absl::AsciiStrToLower(name);
}

std::string TypeName(v1::DataType type) {
  if (type == v1::DATA_TYPE_UNSPECIFIED) return "";
  const std::string& name = v1::DataType_Name(type);
  return name.empty() ? std::to_string(type) : absl::AsciiStrToLower(name);
}

LayerInfo ToLayerInfo(const v1::Layer& layer) {
  return {.name = layer.name(),
          .kind = KindName(layer.kind()),
          .hidden = layer.hidden(),
          .epsilon = layer.epsilon(),
          .has_gamma = layer.has_gamma(),
          .has_beta = layer.has_beta(),
          .parameter_type = TypeName(layer.parameter_type()),
          .checkpoint = layer.checkpoint()};
}

}  // namespace

struct Client::Impl {
  std::unique_ptr<Connection> connection;
};

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

absl::StatusOr<Client> Client::Connect(std::string_view address, const ClientOptions& options) {
  auto connection = Connection::Open(address, options);
  if (!connection.ok()) return connection.status();
  return Client(std::make_unique<Impl>(Impl{*std::move(connection)}));
}

absl::Status Client::Normalize(const Batch& batch, const CallOptions& options, Normalized* result) const {
  const uint64_t start = NowNs();
  const auto request = EncodeBatch(batch);
  if (!request.ok()) return request.status();
  const LaneLoan lane(*impl_->connection);
  grpc::ByteBuffer bytes;
  const uint64_t sent = NowNs();
  if (absl::Status status = impl_->connection->Call(kNormalize, *request, options, *lane, &bytes);
      !status.ok()) {
    return status;
  }
  const uint64_t arrived = NowNs();
  if (absl::Status status = ReadAnswer(bytes, batch, *lane, result); !status.ok()) {
    return status;
  }
  result->timings.marshal = sent - start;
  result->timings.wait = arrived - sent;
  result->timings.unmarshal = NowNs() - arrived;
  return absl::OkStatus();
}

absl::StatusOr<Normalized> Client::Normalize(const Batch& batch, const CallOptions& options) const {
  Normalized result;
  if (absl::Status status = Normalize(batch, options, &result); !status.ok()) return status;
  return result;
}

NormalizeStream Client::Stream(const CallOptions& options) const {
  return NormalizeStream(std::make_unique<NormalizeStream::Impl>(*impl_->connection, options));
}

absl::StatusOr<std::vector<LayerInfo>> Client::ListLayers(const CallOptions& options) const {
  v1::ListLayersResponse response;
  const absl::Status status =
      CallMessage(*impl_->connection, kListLayers, v1::ListLayersRequest(), options, &response);
  if (!status.ok()) return status;
  std::vector<LayerInfo> layers;
  for (const v1::Layer& layer : response.layers()) layers.push_back(ToLayerInfo(layer));
  return layers;
}

absl::StatusOr<ServerInfo> Client::GetServerInfo(const CallOptions& options) const {
  v1::GetServerInfoResponse response;
  const absl::Status status =
      CallMessage(*impl_->connection, kGetServerInfo, v1::GetServerInfoRequest(), options, &response);
  if (!status.ok()) return status;
  return ServerInfo{.version = response.version(),
                    .numerics_revision = response.numerics_revision(),
                    .targets = {response.targets().begin(), response.targets().end()},
                    .active_target = response.active_target(),
                    .max_message_bytes = response.limits().max_message_bytes(),
                    .max_sequences = response.limits().max_sequences(),
                    .max_request_id_bytes = response.limits().max_request_id_bytes()};
}

absl::StatusOr<bool> Client::Health(std::string_view service, const CallOptions& options) const {
  grpc::health::v1::HealthCheckRequest request;
  request.set_service(std::string(service));
  grpc::health::v1::HealthCheckResponse response;
  const absl::Status status = CallMessage(*impl_->connection, kHealthCheck, request, options, &response);
  if (!status.ok()) return status;
  return response.status() == grpc::health::v1::HealthCheckResponse::SERVING;
}

}  // namespace normd
