// SPDX-License-Identifier: Apache-2.0
#include "poller.h"

#include <utility>
#include <vector>

namespace normd {

// An alarm is the one way to wake a completion queue's thread from outside. It deletes itself when it has
// rung.
class Poller::Errand : public Operation {
 public:
  Errand(Poller* poller, void (Poller::*task)()) : poller_(poller), task_(task) {
    poller->handed_over_.fetch_add(1, std::memory_order_release);
    alarm_.Set(poller->queue(), gpr_now(GPR_CLOCK_MONOTONIC), static_cast<Operation*>(this));
  }
  void Complete(bool /*ok*/) override {
    (poller_->*task_)();
    delete this;
  }

 private:
  Poller* poller_;
  void (Poller::*task_)();
  grpc::Alarm alarm_;
};

Poller::~Poller() { Join(); }

void Poller::Start() {
  thread_ = std::thread([this] { Run(); });
}

void Poller::Notify() { new Errand(this, &Poller::NoticeAll); }

void Poller::NoticeAll() {
  // A call may leave while it is told.
  const std::vector<LongCall*> calls(long_calls_.begin(), long_calls_.end());
  for (LongCall* call : calls) call->Notice();
}

void Poller::Run() {
  void* tag = nullptr;
  bool ok = false;
  while (queue_->Next(&tag, &ok)) {
    handed_over_.load(std::memory_order_acquire);
    static_cast<Operation*>(tag)->Complete(ok);
  }
}

void Poller::AwaitLastPlace() {
  for (int64_t left = places_; left != 0; left = places_) places_.wait(left);
}

void Poller::Join() {
  if (!queue_) return;
  if (thread_.joinable()) {
    // On its own thread, which may be about to ask for a call: gRPC aborts where the queue ends under it.
    new Errand(this, &Poller::ShutDownQueue);
    thread_.join();
  } else {
    ShutDownQueue();
    Run();  // never started: what was requested still has to be taken back
  }
  queue_.reset();
}

}  // namespace normd
