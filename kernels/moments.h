// SPDX-License-Identifier: Apache-2.0
//
// The virtual lanes and what is added up in them. norm_kernel.h says why they are as they are.

#ifndef NORMD_MOMENTS_H_
#define NORMD_MOMENTS_H_

#include <cstddef>
#include <cstdint>

namespace normd {
namespace {

constexpr int kLanes = 32;
constexpr int kFolded = 8;       // lanes that go into double, or through the last steps of the tree
constexpr int kAdditions = 8;    // a lane, before they go
constexpr int kGroupBlocks = 4;  // blocks of 32 that the wide rows' tree adds first
constexpr int64_t kGroup = int64_t{kGroupBlocks} * kLanes;
constexpr int64_t kNarrow = int64_t{kAdditions} * kLanes;         // the widest row without the tree
constexpr int64_t kUnflushed = kAdditions * kGroup + kGroup - 1;  // the widest row without a flush

template <class L>
inline constexpr int kRegisters = kLanes / L::kWidth;

// The virtual lanes of one quantity, in registers.
template <class L>
struct LaneSums {
  using Batch = typename L::Batch;
  Batch lane[kRegisters<L>];

  void Clear() {
    for (auto& batch : lane) batch = Batch(0.0F);
  }

  typename L::Folded Fold() const { return L::Fold(lane); }
};

// Sums of a row's deviations, where they are shifted by a centre, and of their squares.
template <class L, bool kShifted>
class Moments {
 public:
  using Batch = typename L::Batch;

  Moments() {
    s_.Clear();
    q_.Clear();
  }

  void AddBlock(int j, Batch d) {
    if constexpr (kShifted) s_.lane[j] = s_.lane[j] + d;
    q_.lane[j] = L::Fma(d, d, q_.lane[j]);
  }

  // One group of four blocks, or of fewer at the row's end: what dead blocks would add is 0.
  template <int kBlocks>
  void AddGroup(int j, const Batch (&d)[kGroupBlocks]) {
    if constexpr (kShifted) s_.lane[j] = s_.lane[j] + TreeOf<kBlocks>(d);
    q_.lane[j] = q_.lane[j] + TreeOfSquares<kBlocks>(d);
  }

  typename L::Folded FoldedSums() const { return s_.Fold(); }
  typename L::Folded FoldedSquares() const { return q_.Fold(); }

  // Adds the float lanes to the double ones and clears them.
  void Flush(double (&sums)[kFolded], double (&squares)[kFolded]) {
    if constexpr (kShifted) L::AddTo(s_.Fold(), sums);
    L::AddTo(q_.Fold(), squares);
    s_.Clear();
    q_.Clear();
  }

 private:
  template <int kBlocks>
  static Batch TreeOf(const Batch (&d)[kGroupBlocks]) {
    if constexpr (kBlocks == 1) return d[0];
    if constexpr (kBlocks == 2) return d[0] + d[1];
    if constexpr (kBlocks == 3) return (d[0] + d[1]) + d[2];
    if constexpr (kBlocks == 4) return (d[0] + d[1]) + (d[2] + d[3]);
  }

  template <int kBlocks>
  static Batch TreeOfSquares(const Batch (&d)[kGroupBlocks]) {
    if constexpr (kBlocks == 1) return d[0] * d[0];
    if constexpr (kBlocks == 2) return L::Fma(d[1], d[1], d[0] * d[0]);
    if constexpr (kBlocks == 3) return L::Fma(d[1], d[1], d[0] * d[0]) + d[2] * d[2];
    if constexpr (kBlocks == 4) return L::Fma(d[1], d[1], d[0] * d[0]) + L::Fma(d[3], d[3], d[2] * d[2]);
  }

  LaneSums<L> s_;
  LaneSums<L> q_;
};

// The last halving steps, 4, 2, 1, of sums in double.
inline double TreeSum(const double (&v)[kFolded]) {
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

}  // namespace
}  // namespace normd

#endif  // NORMD_MOMENTS_H_
