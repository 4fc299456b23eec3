// SPDX-License-Identifier: Apache-2.0
//
// One message of Normalize or NormalizeStream on its way to an answer: let in, computed at once on the
// poller's thread where it is small and by the workers where it is large, and let out.

#ifndef NORMD_SERVER_NORMALIZE_TASK_H_
#define NORMD_SERVER_NORMALIZE_TASK_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>

#include <atomic>
#include <memory>
#include <string>

#include "access.h"
#include "admission.h"
#include "metrics.h"
#include "normalize.h"
#include "poller.h"
#include "request_log.h"
#include "to_grpc.h"
#include "workers.h"

namespace normd {

// What the tasks of one poller share.
struct NormalizeShared {
  const LayerRegistry* layers;
  Admission* admission;
  Workers* workers;
  Metrics* metrics;
  RequestLog* log;
  const Access* access;
  NormalizeHandler handler{layers};  // of small messages, one after the other
};

class NormalizeTask {
 public:
  // It is counted as a call or, in a stream, as a message.
  NormalizeTask(Poller* poller, NormalizeShared* shared, Framing framing);

  // True where the answer is there at once. Otherwise `done` completes on the poller's thread when it is;
  // `message` must stay until then.
  bool Begin(const grpc::ByteBuffer& message, const grpc::ServerContext& context, Clock::time_point arrival,
             Operation* done);
  // From any thread: nobody waits any more.
  void Cancel() { cancelled_ = true; }
  // On the poller's thread, with the message still there: counts and logs the outcome, and fills `response`
  // where there is one to send. Otherwise what comes back says why not.
  absl::Status Answer(const grpc::ServerContext& context, grpc::ByteBuffer* response);
  // Where the answer could not go out, because its client has left: a result was computed in vain.
  void CountLost();
  // Once the answer has gone out: gives back its share of what may be in flight.
  void End();

 private:
  void Refuse(const absl::Status& status);
  void Handle(NormalizeHandler* handler);
  void RunOnWorkers(Operation* done);

  Poller* poller_;
  NormalizeShared* shared_;
  const Framing framing_;
  const Method method_;
  MethodMetrics* counts_;
  Tally* tally_;
  MessageSlices view_;
  Call call_;
  normd::Answer answer_;
  absl::Status status_;   // what the transport is told
  absl::Status outcome_;  // the same, but where an error is an answer as well
  int64_t rows_ = 0;
  std::string request_id_;  // of a failed one
  std::atomic<bool> cancelled_ = false;
  int64_t share_ = 0;  // bytes in flight, while let in
};

}  // namespace normd

#endif  // NORMD_SERVER_NORMALIZE_TASK_H_
