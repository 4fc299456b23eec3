// SPDX-License-Identifier: Apache-2.0
//
// The threads that take what is too long for a poller's thread.

#ifndef NORMD_SERVER_WORKERS_H_
#define NORMD_SERVER_WORKERS_H_

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <cstdint>
#include <functional>

namespace normd {

class Workers {
 public:
  explicit Workers(int threads);

  int threads() const { return threads_; }

  // From any thread: `task` runs on one of the workers, in its turn.
  void Enqueue(std::function<void()> task);

 private:
  const int threads_;
  oneapi::tbb::global_control most_threads_;
  oneapi::tbb::task_arena arena_;
  std::atomic<int64_t> handed_over_ = 0;  // says once more, to tools, what oneTBB's queue orders
};

}  // namespace normd

#endif  // NORMD_SERVER_WORKERS_H_
