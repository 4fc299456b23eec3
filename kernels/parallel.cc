// SPDX-License-Identifier: Apache-2.0
#include "parallel.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>

#include <algorithm>
#include <atomic>

namespace normd {
namespace {

// A part below this is done sooner than another thread wakes up for it.
constexpr int64_t kLeastPartBytes = int64_t{1} << 19;

}  // namespace

int PartsOf(int64_t bytes, int64_t rows, int tasks) {
  const int64_t worth = std::min(bytes / kLeastPartBytes, rows);
  return static_cast<int>(std::clamp<int64_t>(worth, 1, tasks));
}

void RunParts(const NormCall& call, int parts, absl::FunctionRef<void(const NormCall&)> run) {
  const auto part = [&](int64_t index) { return static_cast<int64_t>(__int128{call.rows} * index / parts); };
  std::atomic<int> done =
      0;  // orders the parts' work before what follows, also for tools that do not see into oneTBB
  oneapi::tbb::parallel_for(
      oneapi::tbb::blocked_range<int>(0, parts, 1),
      [&](const oneapi::tbb::blocked_range<int>& range) {
        for (int index = range.begin(); index < range.end(); ++index) {
          run(call.Slice(part(index), part(index + 1) - part(index)));
          done.fetch_add(1, std::memory_order_release);
        }
      },
      oneapi::tbb::simple_partitioner());
  done.load(std::memory_order_acquire);
}

}  // namespace normd
