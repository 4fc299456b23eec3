// SPDX-License-Identifier: Apache-2.0
#include "stream_call.h"

namespace normd {

StreamCall::StreamCall(Poller* poller, const StreamMethod* method)
    : poller_(poller), place_(poller), method_(method), handler_(method->layers) {
  method_->ask(&context_, &stream_, poller_->queue(), ask_.Begin());
}

void StreamCall::OnAsked(bool ok) {
  if (!ok) {
    delete this;
    return;
  }
  begin_ = Clock::now();
  counts().calls.Begin();
  new StreamCall(poller_, method_);
  poller_->Enter(this);
  Read();
  Notice();
}

void StreamCall::Read() { stream_.Read(&message_, read_.Begin()); }

void StreamCall::OnRead(bool ok) {
  arrival_ = Clock::now();
  message_waits_ = ok;
  no_more_messages_ = !ok;
  ServeNext();
}

void StreamCall::ServeNext() {
  if (write_.busy() || finish_.busy() || finished_) return DeleteWhenDone();
  if (!message_waits_) {
    if (no_more_messages_) Finish(grpc::Status::OK);
    return Notice();
  }
  AnswerMessage();
  message_waits_ = false;
  // Where messages never stop, only not reading the next one ends the stream.
  if (!method_->state->draining) Read();
}

void StreamCall::AnswerMessage() {
  counts().messages.Begin();
  counts().Received(SizeOf(message_));
  Call call;
  call.message = view_.View(message_);
  call.arrival = arrival_;
  call.deadline = ToClock(context_.deadline(), arrival_);
  // In a stream an error is an answer, so the call itself goes on.
  handler_.Handle(call, Framing::kStream, &answer_).IgnoreError();
  const grpc::ByteBuffer response = ToByteBuffer(&answer_);
  Count(response);
  stream_.Write(response, write_.Begin());
}

// Before the answer goes out, as for a unary call.
void StreamCall::Count(const grpc::ByteBuffer& response) {
  const int code = static_cast<int>(handler_.status().code());
  const absl::string_view error = handler_.status().message();
  const Clock::duration latency = Clock::now() - arrival_;
  counts().rows.Add(static_cast<uint64_t>(handler_.rows()));
  counts().Sent(SizeOf(response));
  counts().messages.End(code, latency);
  method_->metrics->RejectFor(code);
  method_->log->Record({context_,
                        Method::kNormalizeStream,
                        code,
                        {error.data(), error.size()},
                        handler_.request_id(),
                        latency});
}

void StreamCall::OnWritten(bool ok) {
  if (!ok) no_more_messages_ = true;
  ServeNext();
}

// When the server drains, a stream is ended as soon as what was read of it is answered; otherwise it would
// hold the shutdown.
void StreamCall::Notice() {
  if (!method_->state->draining || write_.busy() || message_waits_) return;
  Finish({grpc::StatusCode::UNAVAILABLE, "the server is draining"});
}

void StreamCall::Finish(const grpc::Status& status) {
  if (finish_.busy() || finished_) return;
  code_ = status.error_code();
  stream_.Finish(status, finish_.Begin());
}

// Where the status cannot go out the client has left, or its deadline has passed.
void StreamCall::OnFinished(bool ok) {
  finished_ = true;
  if (!ok) code_ = grpc::StatusCode::CANCELLED;
  if (!ok) method_->metrics->Reject(Rejection::kCancelled);
  counts().calls.End(code_, Clock::now() - begin_);
  poller_->Leave(this);
  DeleteWhenDone();
}

void StreamCall::DeleteWhenDone() {
  if (finished_ && !read_.busy() && !write_.busy()) delete this;
}

}  // namespace normd
