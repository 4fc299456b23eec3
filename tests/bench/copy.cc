// SPDX-License-Identifier: Apache-2.0
#include <oneapi/tbb/parallel_for.h>

#include <cstring>

#include "ours.h"

namespace normd::bench {
namespace {

// Below this a second thread costs more than it brings.
constexpr int64_t kLeastToSplit = int64_t{1} << 18;

void Copy(void* to, const void* from, int64_t bytes, int threads) {
  if (threads == 1 || bytes < kLeastToSplit) {
    std::memcpy(to, from, static_cast<size_t>(bytes));
    return;
  }
  oneapi::tbb::parallel_for(0, threads, [&](int part) {
    const int64_t first = bytes * part / threads;
    const int64_t end = bytes * (part + 1) / threads;
    std::memcpy(static_cast<char*>(to) + first, static_cast<const char*>(from) + first,
                static_cast<size_t>(end - first));
  });
}

Call Prepare(const Cell& cell, const Buffers& buffers) {
  return {[cell, buffers, bytes = cell.bytes()] {
    Copy(buffers.y, buffers.x, bytes, cell.threads);
    if (cell.kind == Kind::kResidual) Copy(buffers.sum, buffers.residual, bytes, cell.threads);
  }};
}

}  // namespace

void AddCopy(Contestants& contestants) {
  contestants.push_back({.name = "copy",
                         .part = Part::kFloor,
                         .what = "memcpy of the same bytes",
                         .prepare = Prepare,
                         .answers_in_y = false});
}

}  // namespace normd::bench
