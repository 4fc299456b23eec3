// SPDX-License-Identifier: Apache-2.0
#include "normalize_call.h"

#include <string>

namespace normd {
namespace {

// Calls that can arrive at one queue while its thread computes, before gRPC has to hold them back itself.
constexpr int kPlaces = 32;

}  // namespace

void NormalizeCall::AskForCalls(Poller* poller, NormalizeMethod* method) {
  for (int i = 0; i < kPlaces; ++i) new NormalizeCall(poller, method);
}

NormalizeCall::NormalizeCall(Poller* poller, NormalizeMethod* method)
    : poller_(poller), method_(method), place_(poller), task_(poller, method->shared, Framing::kUnary) {
  Ask();
}

void NormalizeCall::Ask() {
  ++method_->waiting;
  writer_.reset();
  context_.emplace();
  writer_.emplace(&*context_);
  context_->AsyncNotifyWhenDone(done_.Begin());
  method_->ask(&*context_, &request_, &*writer_, poller_->queue(), ask_.Begin());
}

void NormalizeCall::OnAsked(bool ok) {
  --method_->waiting;
  if (!ok) {  // no call came, so it will not be reported done either
    delete this;
    return;
  }
  if (task_.Begin(request_, *context_, Clock::now(), &computed_)) return Answer();
  computed_.Begin();
  if (method_->waiting < kPlaces) new NormalizeCall(poller_, method_);
}

void NormalizeCall::OnComputed(bool /*ok*/) { Answer(); }

void NormalizeCall::Answer() {
  grpc::ByteBuffer response;
  const absl::Status status = task_.Answer(*context_, &response);
  if (absl::IsResourceExhausted(status))
    context_->AddTrailingMetadata("grpc-retry-pushback-ms", std::to_string(kRetryAfter.count()));
  if (status.ok()) {
    writer_->Finish(response, grpc::Status::OK, finish_.Begin());
  } else {
    writer_->FinishWithError(ToGrpc(status), finish_.Begin());
  }
  request_.Clear();
}

void NormalizeCall::OnFinished(bool ok) {
  if (!ok) task_.CountLost();
  task_.End();
  AskAgainWhenOver();
}

void NormalizeCall::OnDone(bool /*ok*/) {
  if (context_->IsCancelled()) task_.Cancel();
  AskAgainWhenOver();
}

void NormalizeCall::AskAgainWhenOver() {
  if (computed_.busy() || finish_.busy() || done_.busy()) return;
  if (method_->waiting < kPlaces) return Ask();
  delete this;
}

}  // namespace normd
