// SPDX-License-Identifier: Apache-2.0
#include "normalize_task.h"

namespace normd {
namespace {

// A longer message goes to the workers. One of this size takes some 60 us, for which calls behind it can
// wait; handing it over costs up to 20.
constexpr size_t kLargeBytes = size_t{512} << 10;

}  // namespace

NormalizeTask::NormalizeTask(Poller* poller, NormalizeShared* shared, Framing framing)
    : poller_(poller),
      shared_(shared),
      framing_(framing),
      method_(framing == Framing::kUnary ? Method::kNormalize : Method::kNormalizeStream),
      counts_(&(*shared->metrics)[method_]),
      tally_(framing == Framing::kUnary ? &counts_->calls : &counts_->messages) {}

bool NormalizeTask::Begin(const grpc::ByteBuffer& message, const grpc::ServerContext& context,
                          Clock::time_point arrival, Operation* done) {
  const size_t size = SizeOf(message);
  cancelled_ = false;
  tally_->Begin();
  counts_->Received(size);
  call_.arrival = arrival;
  // Once as it came and once as its answer.
  const auto share = static_cast<int64_t>(2 * size);
  absl::Status status;
  if (framing_ == Framing::kUnary) status = shared_->access->Check(context, method_);  // a stream has been
  if (status.ok()) status = shared_->admission->Enter(share);
  if (!status.ok()) {
    Refuse(status);
    return true;
  }
  share_ = share;
  call_.message = view_.View(message);
  call_.deadline = ToClock(context.raw_deadline(), arrival);
  call_.cancelled = &cancelled_;
  if (size > kLargeBytes) {
    RunOnWorkers(done);
    return false;
  }
  Handle(&shared_->handler);
  return true;
}

void NormalizeTask::Refuse(const absl::Status& status) {
  outcome_ = status;
  status_ = AnswerError(status, framing_, "", &answer_);
  rows_ = 0;
  request_id_.clear();
}

void NormalizeTask::Handle(NormalizeHandler* handler) {
  status_ = handler->Handle(call_, framing_, &answer_);
  outcome_ = handler->status();
  rows_ = handler->rows();
  // The log cuts it shorter still.
  request_id_.assign(handler->request_id().substr(0, kMaxRequestIdBytes));
}

// With a handler of its own, which takes along what it allocated when it goes.
void NormalizeTask::RunOnWorkers(Operation* done) {
  call_.tasks = shared_->workers->threads();
  shared_->workers->Enqueue([this, done] {
    NormalizeHandler handler(shared_->layers);
    Handle(&handler);
    poller_->Post(done);
  });
}

// Counted before the answer goes out: who has it may ask for the metrics next.
absl::Status NormalizeTask::Answer(const grpc::ServerContext& context, grpc::ByteBuffer* response) {
  view_.Clear();
  if (status_.ok()) {
    ToByteBuffer(&answer_, response);
    counts_->Sent(SizeOf(*response));
  }
  const int code = static_cast<int>(outcome_.code());
  const Clock::duration latency = Clock::now() - call_.arrival;
  counts_->rows.Add(static_cast<uint64_t>(rows_));
  shared_->metrics->RejectFor(code);
  tally_->End(code, latency);
  const absl::string_view error = outcome_.message();
  shared_->log->Record({context, method_, code, {error.data(), error.size()}, request_id_, latency});
  return status_;
}

// An error has a reason of its own, and a request is counted under one.
void NormalizeTask::CountLost() {
  if (outcome_.ok()) shared_->metrics->Reject(Rejection::kCancelled);
}

void NormalizeTask::End() {
  if (share_ > 0) shared_->admission->Leave(share_);
  share_ = 0;
}

}  // namespace normd
