// SPDX-License-Identifier: Apache-2.0
#include "stream_call.h"

namespace normd {

StreamCall::StreamCall(Poller* poller, const StreamMethod* method)
    : poller_(poller), place_(poller), method_(method), task_(poller, method->shared, Framing::kStream) {
  context_.AsyncNotifyWhenDone(done_.Begin());
  method_->ask(&context_, &stream_, poller_->queue(), ask_.Begin());
}

void StreamCall::OnAsked(bool ok) {
  if (!ok) {  // no call came, so it will not be reported done either
    delete this;
    return;
  }
  begin_ = Clock::now();
  counts().calls.Begin();
  new StreamCall(poller_, method_);
  poller_->Enter(this);
  if (const auto access = method_->shared->access->Check(context_, Method::kNormalizeStream); !access.ok())
    return Refuse(ToGrpc(access));
  Read();
  Notice();
}

void StreamCall::Refuse(const grpc::Status& status) {
  method_->shared->log->Record({context_,
                                Method::kNormalizeStream,
                                status.error_code(),
                                status.error_message(),
                                {},
                                Clock::now() - begin_});
  Finish(status);
}

void StreamCall::Read() { stream_.Read(&message_, read_.Begin()); }

void StreamCall::OnRead(bool ok) {
  arrival_ = Clock::now();
  message_waits_ = ok;
  no_more_messages_ = !ok;
  ServeNext();
}

void StreamCall::ServeNext() {
  if (computed_.busy() || write_.busy() || finish_.busy() || finished_) return DeleteWhenDone();
  if (!message_waits_) {
    if (no_more_messages_) Finish(grpc::Status::OK);
    return Notice();
  }
  if (task_.Begin(message_, context_, arrival_, &computed_)) return Write();
  computed_.Begin();
}

void StreamCall::OnComputed(bool /*ok*/) { Write(); }

// In a stream an error is an answer, so the call itself goes on.
void StreamCall::Write() {
  grpc::ByteBuffer response;
  task_.Answer(context_, &response).IgnoreError();
  stream_.Write(response, write_.Begin());
  message_.Clear();
  message_waits_ = false;
  // Where messages never stop, only not reading the next one ends the stream.
  if (!method_->state->draining && !no_more_messages_) Read();
}

void StreamCall::OnWritten(bool ok) {
  task_.End();
  if (!ok) no_more_messages_ = true;
  ServeNext();
}

// When the server drains, a stream is ended as soon as what was read of it is answered; otherwise it would
// hold the shutdown.
void StreamCall::Notice() {
  if (!method_->state->draining || computed_.busy() || write_.busy() || message_waits_) return;
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
  counts().calls.End(code_, Clock::now() - begin_);
  poller_->Leave(this);
  DeleteWhenDone();
}

void StreamCall::OnDone(bool /*ok*/) {
  if (context_.IsCancelled()) task_.Cancel();
  DeleteWhenDone();
}

void StreamCall::DeleteWhenDone() {
  if (finished_ && !read_.busy() && !computed_.busy() && !write_.busy() && !done_.busy()) delete this;
}

}  // namespace normd
