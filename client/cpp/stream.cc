// SPDX-License-Identifier: Apache-2.0
#include "stream.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "status.h"

namespace normd {
namespace {

const std::string kNormalizeStream = "/normd.v1.Normalizer/NormalizeStream";

}  // namespace

NormalizeStream::Impl::Impl(Connection& connection, const CallOptions& options) {
  if (const absl::Status status = connection.Apply(options, &context_); !status.ok()) {
    status_ = grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, std::string(status.message()));
    broken_ = finished_ = true;
    return;
  }
  call_ = connection.stub().PrepareCall(&context_, kNormalizeStream, &queue_);
  awaited_.start = true;
  call_->StartCall(&awaited_.start);
  PollUntilDone(awaited_.start);
  if (!broken_) StartRead();
}

// A completion queue may go only after each of its tags has come out.
NormalizeStream::Impl::~Impl() {
  context_.TryCancel();
  static_cast<void>(End());
  queue_.Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (queue_.Next(&tag, &ok)) {
  }
}

void NormalizeStream::Impl::StartRead() {
  awaited_.read = true;
  call_->Read(&incoming_, &awaited_.read);
}

void NormalizeStream::Impl::OnRead(bool ok) {
  if (!ok) return;
  answers_.push_back(std::move(incoming_));
  incoming_ = grpc::ByteBuffer();
  StartRead();
}

void NormalizeStream::Impl::PollOnce() {
  void* tag = nullptr;
  bool ok = false;
  queue_.Next(&tag, &ok);
  *static_cast<bool*>(tag) = false;
  if (!ok) broken_ = true;
  if (tag == &awaited_.read) OnRead(ok);
}

void NormalizeStream::Impl::PollUntilDone(const bool& awaited) {
  while (awaited) PollOnce();
}

absl::Status NormalizeStream::Impl::Send(const Batch& batch) {
  if (broken_) return EndedEarly();
  if (in_flight() >= kMaxInFlight) {
    return absl::ResourceExhaustedError(absl::StrCat("a stream has at most ", kMaxInFlight,
                                                     " requests in flight; receive some answers first"));
  }
  auto request = EncodeBatch(batch);
  if (!request.ok()) return request.status();
  awaited_.write = true;
  call_->Write(*request, &awaited_.write);
  expected_.push_back(ExpectedOf(batch));
  // A write is done when the transport has room for it, not when it has arrived.
  PollUntilDone(awaited_.write);
  return absl::OkStatus();
}

absl::StatusOr<StreamAnswer> NormalizeStream::Impl::Receive() {
  if (expected_.empty()) return absl::FailedPreconditionError("no request is in flight");
  while (answers_.empty() && awaited_.read) PollOnce();
  if (answers_.empty()) return EndedEarly();
  const grpc::ByteBuffer bytes = answers_.front();
  answers_.pop_front();
  const Expected expected = expected_.front();
  expected_.pop_front();
  return Decode(bytes, expected);
}

absl::StatusOr<StreamAnswer> NormalizeStream::Impl::Decode(const grpc::ByteBuffer& bytes,
                                                           const Expected& expected) {
  if (absl::Status status = view_.Open(bytes); !status.ok()) return status;
  if (absl::Status status = wire::ReadNormalizeStreamResponse(view_.slices(), &response_); !status.ok()) {
    return absl::InternalError(status.message());
  }
  StreamAnswer answer;
  if (response_.error_code != 0) {
    answer.status =
        absl::Status(static_cast<absl::StatusCode>(response_.error_code), response_.error_message);
    answer.result.request_id = response_.error_request_id;
    return answer;
  }
  answer.status = TakeResult(view_.slices(), expected, &response_.result, &answer.result);
  return answer;
}

absl::Status NormalizeStream::Impl::Close() {
  if (!broken_ && !finished_) {
    awaited_.write = true;
    call_->WritesDone(&awaited_.write);
    PollUntilDone(awaited_.write);
  }
  const absl::Status status = End();
  expected_.clear();
  answers_.clear();
  return status;
}

// Reads to the end, where the server's status stands, and takes it.
absl::Status NormalizeStream::Impl::End() {
  PollUntilDone(awaited_.read);
  if (!finished_) {
    awaited_.finish = true;
    call_->Finish(&status_, &awaited_.finish);
    PollUntilDone(awaited_.finish);
    finished_ = true;
    broken_ = true;
  }
  return FromGrpc(status_);
}

absl::Status NormalizeStream::Impl::EndedEarly() {
  const absl::Status status = End();
  return status.ok() ? absl::UnavailableError("the stream has ended") : status;
}

NormalizeStream::NormalizeStream(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
NormalizeStream::NormalizeStream(NormalizeStream&&) noexcept = default;
NormalizeStream& NormalizeStream::operator=(NormalizeStream&&) noexcept = default;
NormalizeStream::~NormalizeStream() = default;

absl::Status NormalizeStream::Send(const Batch& batch) { return impl_->Send(batch); }
absl::StatusOr<StreamAnswer> NormalizeStream::Receive() { return impl_->Receive(); }
absl::Status NormalizeStream::Close() { return impl_->Close(); }
int64_t NormalizeStream::in_flight() const { return impl_->in_flight(); }

}  // namespace normd
