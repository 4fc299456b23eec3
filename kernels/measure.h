// SPDX-License-Identifier: Apache-2.0
//
// The first pass: what a row's values add up to. norm_kernel.h says in which order, and why.

#ifndef NORMD_MEASURE_H_
#define NORMD_MEASURE_H_

#include <cstddef>
#include <cstdint>

#include "kernels.h"
#include "moments.h"

namespace normd {
namespace {

// Adds a row to `moments`, by blocks or by groups of four.
template <class V, class L, bool kShifted>
class RowMeter {
 public:
  using Batch = typename L::Batch;

  RowMeter(V values, int64_t hidden, float centre) : values_(values), hidden_(hidden), centre_(centre) {}

  // hidden <= kNarrow
  void AddBlocks() {
    int64_t i = 0;
    for (; i + kLanes <= hidden_; i += kLanes) {
      for (int j = 0; j < kRegisters<L>; ++j) moments_.AddBlock(j, Deviation(At(i, 0, j)));
    }
    if (i == hidden_) return;
    for (int j = 0; j < kRegisters<L>; ++j) moments_.AddBlock(j, LiveDeviation(At(i, 0, j)));
  }

  // hidden > kNarrow; `flush` is called between groups as often as the lanes need it.
  template <class Flush>
  void AddGroups(Flush flush) {
    int64_t i = 0;
    for (int additions = 0; i + kGroup <= hidden_; i += kGroup, ++additions) {
      if (additions == kAdditions) {
        flush(moments_);
        additions = 0;
      }
      AddGroup<kGroupBlocks, true>(i);
    }
    // The last group may make a ninth addition to a lane; it is not worth a flush of its own.
    const int64_t left = hidden_ - i;
    if (left > int64_t{3} * kLanes) return AddGroup<4, false>(i);
    if (left > int64_t{2} * kLanes) return AddGroup<3, false>(i);
    if (left > kLanes) return AddGroup<2, false>(i);
    if (left > 0) return AddGroup<1, false>(i);
  }

  Moments<L, kShifted>& moments() { return moments_; }

 private:
  static int64_t At(int64_t i, int block, int j) {
    return i + int64_t{block} * kLanes + int64_t{j} * L::kWidth;
  }

  Batch Deviation(int64_t i) const {
    if constexpr (kShifted) return values_.Load(i) - centre_;
    return values_.Load(i);
  }

  // Dead lanes hold the centre, so that their deviation is 0.
  Batch LiveDeviation(int64_t i) const {
    const Batch live = values_.LoadLive(i, hidden_, centre_);
    if constexpr (kShifted) return live - centre_;
    return live;
  }

  // Of the group's blocks that have a live lane, only the last can have a dead one.
  template <int kBlocks, bool kWhole>
  void AddGroup(int64_t i) {
    for (int j = 0; j < kRegisters<L>; ++j) {
      Batch d[kGroupBlocks] = {};
      for (int block = 0; block < kBlocks; ++block) {
        const bool whole = kWhole || block + 1 < kBlocks;
        d[block] = whole ? Deviation(At(i, block, j)) : LiveDeviation(At(i, block, j));
      }
      moments_.template AddGroup<kBlocks>(j, d);
    }
  }

  V values_;
  int64_t hidden_;
  Batch centre_;  // 0 where deviations are the values themselves
  Moments<L, kShifted> moments_;
};

// The largest power of two that is at most min(hidden, 32).
inline int64_t CentreCount(int64_t hidden) {
  int64_t count = kLanes;
  while (count > hidden) count /= 2;
  return count;
}

// The sum of the elements that set the centre, lane by lane.
template <class L, class V>
typename L::Folded FoldFirst(const V& values, int64_t count) {
  LaneSums<L> first;
  for (int j = 0; j < kRegisters<L>; ++j) {
    const int64_t i = int64_t{j} * L::kWidth;
    first.lane[j] = count == kLanes ? values.Load(i) : values.LoadLive(i, count, typename L::Batch(0.0F));
  }
  return first.Fold();
}

// Sums of R rows: of the deviations from each row's centre, and of their squares.
template <int R>
struct RowSums {
  float centre[R];
  double sum[R];
  double squares[R];
};

template <class L, class V, int R>
void FindCentres(const NormCall& call, int64_t first, float (&centre)[R]) {
  const int64_t count = CentreCount(call.hidden);
  typename L::Folded folded[R];
#pragma GCC unroll 1
  for (int r = 0; r < R; ++r) folded[r] = FoldFirst<L>(V(call, first + r), count);
  L::template TreeSums<R>(folded, centre);
  for (int r = 0; r < R; ++r) centre[r] *= 1.0F / static_cast<float>(count);
}

// Rows of at most kUnflushed values stay in float to the end of the tree; several at once are at most
// kNarrow.
template <class L, class V, bool kShifted, int R>
void SumInFloat(const NormCall& call, int64_t first, RowSums<R>& sums) {
  typename L::Folded folded[2][R];
#pragma GCC unroll 1
  for (int r = 0; r < R; ++r) {
    RowMeter<V, L, kShifted> meter(V(call, first + r), call.hidden, kShifted ? sums.centre[r] : 0);
    if (R == 8 || call.hidden <= kNarrow) {
      meter.AddBlocks();
    } else {
      meter.AddGroups([](auto&) {});
    }
    if constexpr (kShifted) folded[0][r] = meter.moments().FoldedSums();
    folded[1][r] = meter.moments().FoldedSquares();
  }
  float sum[R] = {};
  float squares[R];
  if constexpr (kShifted) L::template TreeSums<R>(folded[0], sum);
  L::template TreeSums<R>(folded[1], squares);
  for (int r = 0; r < R; ++r) {
    sums.sum[r] = static_cast<double>(sum[r]);
    sums.squares[r] = static_cast<double>(squares[r]);
  }
}

template <class L, class V, bool kShifted>
void SumInDouble(const NormCall& call, int64_t row, RowSums<1>& sums) {
  double sum[kFolded] = {};
  double squares[kFolded] = {};
  RowMeter<V, L, kShifted> meter(V(call, row), call.hidden, kShifted ? sums.centre[0] : 0);
  meter.AddGroups([&](auto& moments) { moments.Flush(sum, squares); });
  meter.moments().Flush(sum, squares);
  sums.sum[0] = TreeSum(sum);
  sums.squares[0] = TreeSum(squares);
}

// Fills the sums of rows [first, first + R), whose centres are set.
template <class L, class V, bool kShifted, int R>
void Sum(const NormCall& call, int64_t first, RowSums<R>& sums) {
  if constexpr (R == 1) {
    if (call.hidden > kUnflushed) return SumInDouble<L, V, kShifted>(call, first, sums);
  }
  SumInFloat<L, V, kShifted>(call, first, sums);
}

}  // namespace
}  // namespace normd

#endif  // NORMD_MEASURE_H_
