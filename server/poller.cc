// SPDX-License-Identifier: Apache-2.0
#include "poller.h"

#include <utility>
#include <vector>

namespace normd {

// An alarm is the one way to wake a completion queue's thread from outside. It deletes itself when it has
// rung.
class Poller::Notice : public Operation {
 public:
  explicit Notice(Poller* poller) : poller_(poller) {
    alarm_.Set(poller->queue(), gpr_now(GPR_CLOCK_MONOTONIC), static_cast<Operation*>(this));
  }
  void Complete(bool /*ok*/) override {
    poller_->NoticeAll();
    delete this;
  }

 private:
  Poller* poller_;
  grpc::Alarm alarm_;
};

Poller::~Poller() { Join(); }

void Poller::Start() {
  thread_ = std::thread([this] { Run(); });
}

void Poller::Notify() { new Notice(this); }

void Poller::NoticeAll() {
  // A call may leave while it is told.
  const std::vector<LongCall*> calls(long_calls_.begin(), long_calls_.end());
  for (LongCall* call : calls) call->Notice();
}

void Poller::Run() {
  void* tag = nullptr;
  bool ok = false;
  while (queue_->Next(&tag, &ok)) static_cast<Operation*>(tag)->Complete(ok);
}

void Poller::Join() {
  if (!queue_) return;
  queue_->Shutdown();
  if (thread_.joinable()) {
    thread_.join();
  } else {
    Run();  // never started: what was requested still has to be taken back
  }
  queue_.reset();
}

}  // namespace normd
