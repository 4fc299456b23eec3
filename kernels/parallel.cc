// SPDX-License-Identifier: Apache-2.0
#include "parallel.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>

#include <algorithm>

namespace normd {
namespace {

// A part below this is done sooner than another thread wakes up for it.
constexpr int64_t kLeastPartBytes = int64_t{1} << 19;

// Rows [first, end) of a call.
NormCall Slice(const NormCall& call, int64_t first, int64_t end) {
  NormCall slice = call;
  slice.rows = end - first;
  const auto advance = [first](auto& stream) {
    if (stream.data != nullptr) stream.data = stream.Row(first);
  };
  advance(slice.x);
  advance(slice.residual);
  advance(slice.y);
  advance(slice.residual_sum);
  for (float** statistic : {&slice.mean, &slice.rstd}) *statistic += *statistic != nullptr ? first : 0;
  for (const float** statistic : {&slice.given_mean, &slice.given_rstd})
    *statistic += *statistic != nullptr ? first : 0;
  return slice;
}

}  // namespace

int PartsOf(int64_t bytes, int64_t rows, int tasks) {
  const int64_t worth = std::min(bytes / kLeastPartBytes, rows);
  return static_cast<int>(std::clamp<int64_t>(worth, 1, tasks));
}

void RunParts(const NormCall& call, int parts, absl::FunctionRef<void(const NormCall&)> run) {
  const auto part = [&](int64_t index) { return static_cast<int64_t>(__int128{call.rows} * index / parts); };
  oneapi::tbb::parallel_for(
      oneapi::tbb::blocked_range<int>(0, parts, 1),
      [&](const oneapi::tbb::blocked_range<int>& range) {
        for (int index = range.begin(); index < range.end(); ++index)
          run(Slice(call, part(index), part(index + 1)));
      },
      oneapi::tbb::simple_partitioner());
}

}  // namespace normd
