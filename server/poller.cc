// SPDX-License-Identifier: Apache-2.0
#include "poller.h"

#include <utility>
#include <vector>

namespace normd {

// An alarm is the one way to wake a completion queue's thread from outside. It deletes itself when it has
// rung.
class Poller::Errand : public Operation {
 public:
  Errand(Poller* poller, std::function<void()> task) : task_(std::move(task)) {
    poller->handed_over_.fetch_add(1, std::memory_order_release);
    alarm_.Set(poller->queue(), gpr_now(GPR_CLOCK_MONOTONIC), static_cast<Operation*>(this));
  }
  void Complete(bool /*ok*/) override {
    task_();
    delete this;
  }

 private:
  std::function<void()> task_;
  grpc::Alarm alarm_;
};

Poller::~Poller() { Join(); }

void Poller::Start() {
  thread_ = std::thread([this] { Run(); });
}

void Poller::Post(Operation* operation) {
  new Errand(this, [operation] { operation->Complete(true); });
}

void Poller::Notify() {
  new Errand(this, [this] { NoticeAll(); });
}

void Poller::NoticeAll() {
  // A call may leave while it is told.
  const std::vector<LongCall*> calls(long_calls_.begin(), long_calls_.end());
  for (LongCall* call : calls) call->Notice();
}

bool Poller::Next(void** tag, bool* ok) {
  using Status = grpc::CompletionQueue::NextStatus;
  const auto end = std::chrono::steady_clock::now() + spin_;
  while (spin_.count() > 0 && std::chrono::steady_clock::now() < end) {
    const Status status = queue_->AsyncNext(tag, ok, gpr_time_0(GPR_CLOCK_MONOTONIC));
    if (status != Status::TIMEOUT) return status == Status::GOT_EVENT;
  }
  return queue_->Next(tag, ok);
}

void Poller::Run() {
  void* tag = nullptr;
  bool ok = false;
  while (Next(&tag, &ok)) {
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
    new Errand(this, [this] { queue_->Shutdown(); });
    thread_.join();
  } else {
    queue_->Shutdown();
    Run();  // never started: what was requested still has to be taken back
  }
  queue_.reset();
}

}  // namespace normd
