// SPDX-License-Identifier: Apache-2.0
//
// x + residual, rounded to the data type, a few rows at a time: they are normalized while they are in the
// first cache. Each sum is formed and stored once, and what follows is the norm of rows without a residual,
// so that fused and in two steps are the same bits.

#ifndef NORMD_RESIDUAL_H_
#define NORMD_RESIDUAL_H_

#include <cstddef>
#include <cstdint>

#include "kernels.h"

namespace normd {
namespace {

template <class L, class Io>
void AddRow(const std::byte* x, const std::byte* residual, int64_t hidden, std::byte* sum) {
  const auto at = [&](int64_t i) {
    return Io::Load(x + i * Io::kBytes) + Io::Load(residual + i * Io::kBytes);
  };
  const int64_t last = hidden - L::kWidth;
  if (last < 0) {
    const typename L::Batch zero(0.0F);
    Io::StoreFirst(sum, Io::LoadLive(x, hidden, zero) + Io::LoadLive(residual, hidden, zero),
                   static_cast<int>(hidden));
    return;
  }
  // The last register overlaps its neighbour, and is read before anything is written: sum may be x or
  // residual.
  const typename L::Batch tail = at(last);
  int64_t i = 0;
  for (; i <= last; i += L::kWidth) Io::Store(sum + i * Io::kBytes, at(i));
  if (i != hidden) Io::Store(sum + last * Io::kBytes, tail);
}

// Calls `run` with calls of a few rows each, whose x is the sum: in residual_sum, or in y where no one asked
// for it.
template <class L, class Io, class Run>
void ForSums(const NormCall& call, Run run) {
  constexpr int64_t kCachedBytes = 16 << 10;
  const int64_t row_bytes = call.hidden * Io::kBytes;
  const int64_t rows_at_once = row_bytes < kCachedBytes ? kCachedBytes / row_bytes : 1;
  const bool wanted = call.residual_sum.data != nullptr;
  for (int64_t first = 0; first < call.rows; first += rows_at_once) {
    const int64_t left = call.rows - first;
    NormCall sums = call.Slice(first, left < rows_at_once ? left : rows_at_once);
    const OutputStream to = wanted ? sums.residual_sum : sums.y;
    for (int64_t row = 0; row < sums.rows; ++row) {
      AddRow<L, Io>(sums.x.Row(row), sums.residual.Row(row), call.hidden, to.Row(row));
    }
    sums.x = {to.data, to.stride};
    sums.residual = {};
    sums.streaming = call.streaming && wanted;  // y is in the caches where it held the sum
    run(sums);
  }
}

}  // namespace
}  // namespace normd

#endif  // NORMD_RESIDUAL_H_
