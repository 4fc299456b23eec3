// SPDX-License-Identifier: Apache-2.0
//
// Between our types and gRPC's: statuses, slices, deadlines.

#ifndef NORMD_SERVER_TO_GRPC_H_
#define NORMD_SERVER_TO_GRPC_H_

#include <google/protobuf/message_lite.h>
#include <grpc/support/time.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include <cstddef>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "call.h"

namespace normd {

// The one converter. The text is cut at 1,024 bytes, since it travels in an 8 KiB block of metadata. What is
// short of a resource says in its details, a google.rpc.Status with a RetryInfo, when to try again.
grpc::Status ToGrpc(const absl::Status& status);

// A deadline on our clock; gRPC has its own.
Clock::time_point ToClock(gpr_timespec deadline, Clock::time_point now);

// The answer's bytes as slices. The payload is not copied: gRPC frees it when it has gone out.
void ToByteBuffer(Answer* answer, grpc::ByteBuffer* buffer);

// Bytes of a message as it travels.
inline size_t SizeOf(const grpc::ByteBuffer& message) { return message.Length(); }
inline size_t SizeOf(const google::protobuf::MessageLite& message) { return message.ByteSizeLong(); }

// The slices of a message and views of them.
class MessageSlices {
 public:
  wire::Slices View(const grpc::ByteBuffer& buffer);
  // Lets go of the message, which the buffer must outlive: where memory is short, gRPC 1.51 crashes when the
  // last to let go of its bytes is a slice and not a buffer.
  void Clear() { slices_.clear(); }

 private:
  std::vector<grpc::Slice> slices_;
  std::vector<std::string_view> views_;
};

}  // namespace normd

#endif  // NORMD_SERVER_TO_GRPC_H_
