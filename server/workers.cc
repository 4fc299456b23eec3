// SPDX-License-Identifier: Apache-2.0
#include "workers.h"

#include <utility>

namespace normd {

// oneTBB counts one more thread than it starts, for the one that waits; none of ours does, and no place is
// kept for one in the arena.
Workers::Workers(int threads)
    : threads_(threads),
      most_threads_(oneapi::tbb::global_control::max_allowed_parallelism, static_cast<size_t>(threads) + 1),
      arena_(threads, /*reserved_for_masters=*/0) {}

void Workers::Enqueue(std::function<void()> task) {
  handed_over_.fetch_add(1, std::memory_order_release);
  arena_.enqueue([this, task = std::move(task)] {
    handed_over_.load(std::memory_order_acquire);
    task();
  });
}

}  // namespace normd
