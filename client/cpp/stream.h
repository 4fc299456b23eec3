// SPDX-License-Identifier: Apache-2.0
//
// The inside of NormalizeStream.

#ifndef NORMD_CLIENT_STREAM_H_
#define NORMD_CLIENT_STREAM_H_

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <deque>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "connection.h"
#include "message.h"
#include "normd/client.h"
#include "wire/normalize_response.h"

namespace normd {

// A read is outstanding from the first request to the end, so that a server never waits for room to answer in
// while this side waits for room to ask in.
struct NormalizeStream::Impl {
  Impl(Connection& connection, const CallOptions& options);
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl();

  absl::Status Send(const Batch& batch);
  absl::StatusOr<StreamAnswer> Receive();
  absl::Status Close();
  int64_t in_flight() const { return static_cast<int64_t>(expected_.size()); }

 private:
  // What a completion was for; a tag is the address of its own flag, true while it is awaited.
  struct Awaited {
    bool start = false;
    bool write = false;
    bool read = false;
    bool finish = false;
  };

  void StartRead();
  void PollOnce();
  void PollUntilDone(const bool& awaited);
  void OnRead(bool ok);
  absl::Status End();
  absl::Status EndedEarly();
  absl::StatusOr<StreamAnswer> Decode(const grpc::ByteBuffer& bytes, const Expected& expected);

  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
  Awaited awaited_;
  bool broken_ = false;    // a start, read or write failed: the call is over
  bool finished_ = false;  // status_ is the call's
  grpc::Status status_;
  grpc::ByteBuffer incoming_;
  std::deque<grpc::ByteBuffer> answers_;  // read and not yet received
  std::deque<Expected> expected_;         // one for each request in flight, oldest first
  MessageView view_;
  wire::NormalizeStreamResponse response_;
};

}  // namespace normd

#endif  // NORMD_CLIENT_STREAM_H_
