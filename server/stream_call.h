// SPDX-License-Identifier: Apache-2.0
//
// One NormalizeStream: the next request is read while an answer is written; at most one waits.

#ifndef NORMD_SERVER_STREAM_CALL_H_
#define NORMD_SERVER_STREAM_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/async_stream.h>

#include <functional>

#include "normalize_task.h"
#include "poller.h"
#include "serving_state.h"

namespace normd {

using RawStream = grpc::ServerAsyncReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer>;

// What a stream needs of the server around it.
struct StreamMethod {
  std::function<void(grpc::ServerContext*, RawStream*, grpc::ServerCompletionQueue*, void*)> ask;
  NormalizeShared* shared;
  const ServingState* state;
};

class StreamCall : public LongCall {
 public:
  StreamCall(Poller* poller, const StreamMethod* method);
  void Notice() override;

 private:
  void OnAsked(bool ok);
  void OnRead(bool ok);
  void OnComputed(bool ok);
  void OnWritten(bool ok);
  void OnFinished(bool ok);
  void OnDone(bool ok);
  void Refuse(const grpc::Status& status);
  void Read();
  void ServeNext();
  void Write();
  MethodMetrics& counts() { return (*method_->shared->metrics)[Method::kNormalizeStream]; }
  void Finish(const grpc::Status& status);
  void DeleteWhenDone();

  Poller* poller_;
  Place place_;
  const StreamMethod* method_;
  NormalizeTask task_;
  grpc::ServerContext context_;
  RawStream stream_{&context_};
  grpc::ByteBuffer message_;
  Clock::time_point begin_;
  Clock::time_point arrival_;  // of the message
  Step<StreamCall> ask_{this, &StreamCall::OnAsked};
  Step<StreamCall> read_{this, &StreamCall::OnRead};
  Step<StreamCall> computed_{this, &StreamCall::OnComputed};
  Step<StreamCall> write_{this, &StreamCall::OnWritten};
  Step<StreamCall> finish_{this, &StreamCall::OnFinished};
  Step<StreamCall> done_{this, &StreamCall::OnDone};
  bool message_waits_ = false;
  bool no_more_messages_ = false;
  bool finished_ = false;
  int code_ = 0;  // that the call ends with
};

}  // namespace normd

#endif  // NORMD_SERVER_STREAM_CALL_H_
