// SPDX-License-Identifier: Apache-2.0
//
// A place in the queue for one unary RPC at a time: what wraps every handler, once.

#ifndef NORMD_SERVER_UNARY_CALL_H_
#define NORMD_SERVER_UNARY_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/async_unary_call.h>

#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "access.h"
#include "call.h"
#include "metrics.h"
#include "poller.h"
#include "request_log.h"
#include "to_grpc.h"

namespace normd {

// How a method is asked for its next call, what answers it, and where it is counted.
template <class Request, class Response>
struct UnaryMethod {
  using Writer = grpc::ServerAsyncResponseWriter<Response>;
  std::function<void(grpc::ServerContext*, Request*, Writer*, grpc::ServerCompletionQueue*, void*)> ask;
  std::function<grpc::Status(const grpc::ServerContext&, const Request&, Response*)> handle;
  Metrics* metrics = nullptr;
  RequestLog* log = nullptr;
  const Access* access = nullptr;
  Method method = Method::kCount;
  // Of the request that was handled last; unset where its message has none.
  std::function<std::string_view()> request_id = {};
};

// Asks for a call, answers it, and asks again, until the server shuts down; then it deletes itself.
template <class Request, class Response>
class UnaryCall : public Operation {
 public:
  UnaryCall(Poller* poller, const UnaryMethod<Request, Response>* method)
      : poller_(poller), method_(method), place_(poller) {
    Ask();
  }

  void Complete(bool ok) override {
    if (waiting_ && ok) return Answer();
    // A failed wait is the server's end; a failed answer is a client that left, and the place is free again.
    if (waiting_) {
      delete this;
      return;
    }
    Ask();
  }

 private:
  void Ask() {
    waiting_ = true;
    writer_.reset();
    context_.emplace();
    writer_.emplace(&*context_);
    method_->ask(&*context_, &request_, &*writer_, poller_->queue(), static_cast<Operation*>(this));
  }

  void Answer() {
    waiting_ = false;
    Response response;
    const grpc::Status status = Handle(&response);
    request_ = Request();
    if (status.ok()) {
      writer_->Finish(response, status, static_cast<Operation*>(this));
    } else {
      writer_->FinishWithError(status, static_cast<Operation*>(this));
    }
  }

  // Counted before the answer goes out: who has it may ask for the metrics next.
  grpc::Status Handle(Response* response) {
    const Clock::time_point begin = Clock::now();
    MethodMetrics& counts = (*method_->metrics)[method_->method];
    counts.calls.Begin();
    counts.Received(SizeOf(request_));
    grpc::Status status = ToGrpc(method_->access->Check(*context_, method_->method));
    if (status.ok()) status = method_->handle(*context_, request_, response);
    if (status.ok()) {
      counts.Sent(SizeOf(*response));
    } else {
      method_->metrics->RejectFor(status.error_code());
    }
    const Clock::duration latency = Clock::now() - begin;
    counts.calls.End(status.error_code(), latency);
    Log(status, latency);
    return status;
  }

  void Log(const grpc::Status& status, Clock::duration latency) {
    const bool has_id = static_cast<bool>(method_->request_id);
    method_->log->Record({*context_, method_->method, status.error_code(), status.error_message(),
                          has_id ? method_->request_id() : std::string_view(), latency});
  }

  Poller* poller_;
  const UnaryMethod<Request, Response>* method_;
  Place place_;
  bool waiting_ = false;
  std::optional<grpc::ServerContext> context_;
  std::optional<grpc::ServerAsyncResponseWriter<Response>> writer_;
  Request request_;
};

}  // namespace normd

#endif  // NORMD_SERVER_UNARY_CALL_H_
