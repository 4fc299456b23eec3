// SPDX-License-Identifier: Apache-2.0
//
// Requests as bytes for the connection, and answers out of the slices they came in.

#ifndef NORMD_CLIENT_MESSAGE_H_
#define NORMD_CLIENT_MESSAGE_H_

#include <google/protobuf/message_lite.h>
#include <grpcpp/support/byte_buffer.h>

#include <cstddef>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "normd/client.h"
#include "wire/normalize_response.h"
#include "wire/slices.h"

namespace normd {

// A received message as the wire readers take it. Can be used again and again.
class MessageView {
 public:
  absl::Status Open(const grpc::ByteBuffer& message);
  wire::Slices slices() const { return views_; }

  // Gives the transport's memory back, which can be as large as the answer.
  void Close();

 private:
  std::vector<grpc::Slice> slices_;
  std::vector<std::string_view> views_;
};

// What the answer to a batch must have, for a caller who asked for them to find them there.
struct Expected {
  size_t bytes = 0;  // of tokens
  DataType data_type = DataType::kFloat32;
  bool mean = false;
  bool rstd = false;
  bool residual_sum = false;
};

inline Expected ExpectedOf(const Batch& batch) {
  return {batch.tokens.bytes().size(), batch.data_type, batch.want_mean, batch.want_rstd,
          batch.want_residual_sum};
}

// A NormalizeRequest whose `data` and `residual` are the batch's own, behind an encoded head.
// Errors: InvalidArgument for a message longer than protobuf's 2 GiB - 1, and for what is no data type.
absl::StatusOr<grpc::ByteBuffer> EncodeBatch(const Batch& batch);

// Moves an answer out of the message it was read from.
// Errors: Internal where the answer has tokens, a residual sum, means or rstds of another size than the
// request asks for.
absl::Status TakeResult(wire::Slices message, const Expected& expected, wire::NormalizeResponse* response,
                        Normalized* result);

grpc::ByteBuffer EncodeMessage(const google::protobuf::MessageLite& message);
absl::Status DecodeMessage(const grpc::ByteBuffer& bytes, google::protobuf::MessageLite* message);

}  // namespace normd

#endif  // NORMD_CLIENT_MESSAGE_H_
