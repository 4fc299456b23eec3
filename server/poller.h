// SPDX-License-Identifier: Apache-2.0
//
// One completion queue and the one thread that polls it: the place where every RPC of that queue runs.

#ifndef NORMD_SERVER_POLLER_H_
#define NORMD_SERVER_POLLER_H_

#include <grpcpp/alarm.h>
#include <grpcpp/completion_queue.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <thread>

namespace normd {

// What a completion queue's tag points to. An operation that was started comes back here once, `ok` or not.
class Operation {
 public:
  virtual ~Operation() = default;
  virtual void Complete(bool ok) = 0;
};

// One kind of operation of a call with several: completes by a member function of the call.
template <class Call>
class Step : public Operation {
 public:
  using Handler = void (Call::*)(bool ok);
  Step(Call* call, Handler handler) : call_(call), handler_(handler) {}

  // The tag to start the operation with.
  void* Begin() {
    busy_ = true;
    return static_cast<Operation*>(this);
  }
  bool busy() const { return busy_; }  // begun and not yet complete

  void Complete(bool ok) override {
    busy_ = false;
    (call_->*handler_)(ok);
  }

 private:
  Call* call_;
  Handler handler_;
  bool busy_ = false;
};

// An RPC that may outlive many messages, and that a drain or a change of health concerns.
class LongCall {
 public:
  virtual ~LongCall() = default;
  // On the poller's thread, after SetServing or Drain.
  virtual void Notice() = 0;
};

class Poller {
 public:
  // Polls for as long as `spin` before it sleeps.
  Poller(std::unique_ptr<grpc::ServerCompletionQueue> queue, std::chrono::microseconds spin)
      : queue_(std::move(queue)), spin_(spin) {}
  ~Poller();

  void Start();  // once the server has started and its first calls were requested
  // From any thread: `operation` completes on the poller's thread.
  void Post(Operation* operation);
  // From any thread: long calls are told to look again, at the latest when the thread is free.
  void Notify();
  // From any thread, once the server shuts down: until every call here was answered and no place asks again.
  void AwaitLastPlace();
  void Join();  // after Server::Shutdown: takes what is left from the queue and ends the thread

  // On the poller's thread, or before Start.
  grpc::ServerCompletionQueue* queue() { return queue_.get(); }
  void Enter(LongCall* call) { long_calls_.insert(call); }
  void Leave(LongCall* call) { long_calls_.erase(call); }

 private:
  friend class Place;
  class Errand;
  void Run();
  bool Next(void** tag, bool* ok);
  void NoticeAll();

  std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  const std::chrono::microseconds spin_;
  std::atomic<int64_t> places_ = 0;
  // gRPC's queue orders what one thread hands to another. ThreadSanitizer cannot see into it, so an atomic of
  // ours says it once more, for the price of a plain load.
  std::atomic<int64_t> handed_over_ = 0;
  std::set<LongCall*> long_calls_;
  std::thread thread_;
};

// What each object holds that waits for a call or has one. It is given up when the call was answered, or when
// the server's shutdown took the wait back.
class Place {
 public:
  explicit Place(Poller* poller) : poller_(poller) { ++poller_->places_; }
  ~Place() {
    if (--poller_->places_ == 0) poller_->places_.notify_all();
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

 private:
  Poller* poller_;
};

}  // namespace normd

#endif  // NORMD_SERVER_POLLER_H_
