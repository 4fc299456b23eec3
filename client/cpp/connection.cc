// SPDX-License-Identifier: Apache-2.0
#include "connection.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "credentials.h"
#include "status.h"

namespace normd {
namespace {

// Calls go in turn to each server that the address names and whose health check says SERVING; one that says
// it is going, or is gone, before it has answered is asked again, mostly of another.
constexpr char kServiceConfig[] = R"json({
  "loadBalancingConfig": [{"round_robin": {}}],
  "healthCheckConfig": {"serviceName": ""},
  "methodConfig": [{
    "name": [{"service": "normd.v1.Normalizer"}],
    "retryPolicy": {
      "maxAttempts": 5, "initialBackoff": "0.05s", "maxBackoff": "1s", "backoffMultiplier": 2,
      "retryableStatusCodes": ["UNAVAILABLE"]
    }
  }]
})json";
// What was sent of a call is kept as long as it may be sent again, up to this; gRPC's own 256 KiB would leave
// larger messages without a second attempt.
constexpr int kRetryBufferBytes = 128 << 20;

constexpr char kHealthCheck[] = "/grpc.health.v1.Health/Check";

// An infinite duration would overflow the clock's own type.
std::chrono::system_clock::time_point DeadlineIn(absl::Duration timeout) {
  if (timeout > absl::Hours(24 * 365)) return std::chrono::system_clock::time_point::max();
  return absl::ToChronoTime(absl::Now() + timeout);
}

// gRPC would take many more forms and resolve what is none of them as a name.
absl::Status CheckAddress(std::string_view address) {
  const size_t colon = address.rfind(':');
  const bool has_both = colon != std::string_view::npos && colon > 0 && colon + 1 < address.size();
  if (has_both && address.size() <= 1024) return absl::OkStatus();
  const std::string shown = absl::CHexEscape({address.data(), std::min<size_t>(address.size(), 100)});
  return absl::InvalidArgumentError(
      absl::StrCat("address \"", shown, "\" is neither host:port nor unix:/path"));
}

grpc::ChannelArguments Arguments(const ClientOptions& options) {
  grpc::ChannelArguments arguments;
  const int64_t max_receive = std::min<int64_t>(options.max_receive_bytes, INT32_MAX);
  arguments.SetMaxReceiveMessageSize(static_cast<int>(max_receive < 0 ? -1 : max_receive));
  arguments.SetMaxSendMessageSize(-1);
  // Channels with equal arguments would share one connection, and clients then wait for each other's bytes.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, options.retries ? 1 : 0);
  if (options.retries) {
    arguments.SetServiceConfigJSON(kServiceConfig);
    arguments.SetInt(GRPC_ARG_PER_RPC_RETRY_BUFFER_SIZE, kRetryBufferBytes);
  }
  if (!options.security.server_name.empty()) arguments.SetSslTargetNameOverride(options.security.server_name);
  // The address is meant: no proxy out of the environment, no TXT look-up of a service's configuration.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  return arguments;
}

// Null where there is none.
absl::StatusOr<std::unique_ptr<TokenFile>> OpenToken(const std::string& path) {
  if (path.empty()) return nullptr;
  return TokenFile::Open(path);
}

// gRPC puts its own layers' words, each with a colon, before the system's, which are what a person needs.
std::string LastReason(const std::string& text) {
  const size_t colon = text.rfind(": ");
  std::string reason = colon == std::string::npos ? text : text.substr(colon + 2);
  if (!reason.empty()) reason[0] = absl::ascii_tolower(static_cast<unsigned char>(reason[0]));
  return reason;
}

bool IsLegalMetadata(const std::string& key, const std::string& value) {
  const auto slice = [](const std::string& text) {
    return grpc_slice_from_static_buffer(text.data(), text.size());
  };
  if (grpc_header_key_is_legal(slice(key)) == 0) return false;
  return key.ends_with("-bin") || grpc_header_nonbin_value_is_legal(slice(value)) != 0;
}

absl::Status RefuseMetadata(const std::string& key) {
  return absl::InvalidArgumentError(absl::StrCat(
      "metadata \"", absl::CHexEscape(key.substr(0, 100)),
      "\": a key has lower-case letters, digits and \"-_.\" alone, and a value printable ASCII, or "
      "any bytes where the key ends in -bin"));
}

}  // namespace

absl::Status Connection::Apply(const CallOptions& options, grpc::ClientContext* context) {
  context->set_deadline(DeadlineIn(options.timeout));
  for (const auto& [key, value] : options.metadata) {
    if (!IsLegalMetadata(key, value)) return RefuseMetadata(key);
    context->AddMetadata(key, value);
  }
  if (token_ != nullptr)
    context->AddMetadata("authorization",
                         absl::StrCat("Bearer ", token_->At(std::chrono::steady_clock::now())));
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Connection>> Connection::Open(std::string_view address,
                                                             const ClientOptions& options) {
  if (absl::Status status = CheckAddress(address); !status.ok()) return status;
  const auto credentials = CredentialsFor(address, options.security);
  if (!credentials.ok()) return credentials.status();
  auto token = OpenToken(options.security.token_file);
  if (!token.ok()) return token.status();
  auto channel = grpc::CreateCustomChannel(std::string(address), *credentials, Arguments(options));
  std::unique_ptr<Connection> connection(new Connection(std::move(channel), *std::move(token)));
  if (absl::Status status = connection->WaitUntilReady(options.connect_timeout); !status.ok()) {
    return absl::Status(
        status.code(), absl::StrCat("cannot reach ", absl::CHexEscape({address.data(), address.size()}), ": ",
                                    status.message()));
  }
  return connection;
}

absl::Status Connection::WaitUntilReady(absl::Duration timeout) {
  const auto deadline = DeadlineIn(timeout);
  grpc_connectivity_state state = channel_->GetState(true);
  while (state != GRPC_CHANNEL_READY) {
    if (state == GRPC_CHANNEL_TRANSIENT_FAILURE) return ReasonOfFailure(timeout);
    if (!channel_->WaitForStateChange(state, deadline)) {
      return absl::UnavailableError(absl::StrCat("no connection within ", absl::FormatDuration(timeout)));
    }
    state = channel_->GetState(true);
  }
  return absl::OkStatus();
}

// A channel that failed does not say why; a call on it does, at once.
absl::Status Connection::ReasonOfFailure(absl::Duration timeout) {
  auto lane = TakeLane();
  grpc::ByteBuffer response;
  const grpc::Slice empty;
  const CallOptions options{.timeout = std::min(timeout, absl::Seconds(2)), .metadata = {}};
  const absl::Status status = Call(kHealthCheck, grpc::ByteBuffer(&empty, 1), options, *lane, &response);
  ReturnLane(std::move(lane));
  return absl::UnavailableError(status.ok() ? "the connection failed"
                                            : LastReason(std::string(status.message())));
}

std::unique_ptr<Lane> Connection::TakeLane() {
  const std::lock_guard lock(mutex_);
  if (lanes_.empty()) return std::make_unique<Lane>();
  auto lane = std::move(lanes_.back());
  lanes_.pop_back();
  return lane;
}

void Connection::ReturnLane(std::unique_ptr<Lane> lane) {
  const std::lock_guard lock(mutex_);
  lanes_.push_back(std::move(lane));
}

absl::Status Connection::Call(const std::string& method, const grpc::ByteBuffer& request,
                              const CallOptions& options, Lane& lane, grpc::ByteBuffer* response) {
  grpc::ClientContext context;
  if (absl::Status status = Apply(options, &context); !status.ok()) return status;
  auto call = stub_.PrepareUnaryCall(&context, method, request, &lane.queue);
  call->StartCall();
  grpc::Status status;
  call->Finish(response, &status, this);
  void* tag = nullptr;
  bool ok = false;
  // The one tag of the one call on this queue; it comes whatever happens to the call.
  lane.queue.Next(&tag, &ok);
  return FromGrpc(status);
}

}  // namespace normd
