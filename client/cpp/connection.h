// SPDX-License-Identifier: Apache-2.0
//
// A connection that carries unary calls as raw bytes.
//
// The thread that makes a call polls for its answer itself, on a completion queue out of a free list: an
// answer then wakes one thread and no other hands it on, which is worth a third of the latency of a small
// call.

#ifndef NORMD_CLIENT_CONNECTION_H_
#define NORMD_CLIENT_CONNECTION_H_

#include <grpc/grpc.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "message.h"
#include "normd/client.h"
#include "security/token_file.h"
#include "wire/normalize_response.h"

namespace normd {

// What one call needs, kept from one call to the next.
struct Lane {
  Lane() = default;
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane() { queue.Shutdown(); }

  grpc::CompletionQueue queue;
  MessageView view;
  wire::NormalizeResponse response;
};

class Connection {
 public:
  // Waits until the connection stands.
  // Errors: InvalidArgument for an address of no known form and for files that cannot be used, Unavailable
  // with the reason.
  static absl::StatusOr<std::unique_ptr<Connection>> Open(std::string_view address,
                                                          const ClientOptions& options);

  std::unique_ptr<Lane> TakeLane();
  void ReturnLane(std::unique_ptr<Lane> lane);

  // One call of `method`, as in "/normd.v1.Normalizer/Normalize", on `lane`.
  absl::Status Call(const std::string& method, const grpc::ByteBuffer& request, const CallOptions& options,
                    Lane& lane, grpc::ByteBuffer* response);

  // Sets the deadline and metadata of a call, the token among it.
  // Errors: InvalidArgument for metadata that HTTP/2 cannot carry; gRPC ends the process over it.
  absl::Status Apply(const CallOptions& options, grpc::ClientContext* context);

  grpc::GenericStub& stub() { return stub_; }

 private:
  Connection(std::shared_ptr<grpc::Channel> channel, std::unique_ptr<TokenFile> token)
      : channel_(channel), stub_(channel), token_(std::move(token)) {}

  absl::Status WaitUntilReady(absl::Duration timeout);
  absl::Status ReasonOfFailure(absl::Duration timeout);

  std::shared_ptr<grpc::Channel> channel_;
  grpc::GenericStub stub_;
  std::unique_ptr<TokenFile> token_;  // or null
  std::mutex mutex_;
  std::vector<std::unique_ptr<Lane>> lanes_;  // those that no call uses
};

}  // namespace normd

#endif  // NORMD_CLIENT_CONNECTION_H_
