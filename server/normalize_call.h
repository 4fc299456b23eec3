// SPDX-License-Identifier: Apache-2.0
//
// A place in the queue for one Normalize at a time.

#ifndef NORMD_SERVER_NORMALIZE_CALL_H_
#define NORMD_SERVER_NORMALIZE_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/async_unary_call.h>

#include <functional>
#include <optional>

#include "normalize_task.h"
#include "poller.h"

namespace normd {

using RawWriter = grpc::ServerAsyncResponseWriter<grpc::ByteBuffer>;

// What the places of one poller share.
struct NormalizeMethod {
  std::function<void(grpc::ServerContext*, grpc::ByteBuffer*, RawWriter*, grpc::ServerCompletionQueue*,
                     void*)>
      ask;
  NormalizeShared* shared;
  int waiting = 0;  // places without a call
};

// Asks for a call, answers it, and asks again, until the server shuts down; then it deletes itself. While the
// workers have its call, another place takes its turn.
class NormalizeCall {
 public:
  // The places that a poller begins with.
  static void AskForCalls(Poller* poller, NormalizeMethod* method);

 private:
  NormalizeCall(Poller* poller, NormalizeMethod* method);

  void Ask();
  void OnAsked(bool ok);
  void OnComputed(bool ok);
  void OnFinished(bool ok);
  void OnDone(bool ok);
  void Answer();
  void AskAgainWhenOver();

  Poller* poller_;
  NormalizeMethod* method_;
  Place place_;
  std::optional<grpc::ServerContext> context_;
  std::optional<RawWriter> writer_;
  grpc::ByteBuffer request_;
  NormalizeTask task_;
  Step<NormalizeCall> ask_{this, &NormalizeCall::OnAsked};
  Step<NormalizeCall> computed_{this, &NormalizeCall::OnComputed};
  Step<NormalizeCall> finish_{this, &NormalizeCall::OnFinished};
  Step<NormalizeCall> done_{this, &NormalizeCall::OnDone};
};

}  // namespace normd

#endif  // NORMD_SERVER_NORMALIZE_CALL_H_
