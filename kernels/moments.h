// SPDX-License-Identifier: Apache-2.0
//
// The virtual lanes and what is added up in them. layer_norm_kernel.h says why they are as they are.

#ifndef NORMD_MOMENTS_H_
#define NORMD_MOMENTS_H_

#include <cstddef>
#include <cstdint>

namespace normd {
namespace {

constexpr int kLanes = 32;
constexpr int kFolded = 8;       // lanes that go into double
constexpr int kAdditions = 8;    // a lane, before they go
constexpr int kGroupBlocks = 4;  // blocks of 32 that the wide rows' tree adds first
constexpr int64_t kGroup = int64_t{kGroupBlocks} * kLanes;
constexpr int64_t kNarrow = int64_t{kAdditions} * kLanes;  // the widest row without the tree
constexpr int64_t kFloatBytes = sizeof(float);

template <class L>
inline constexpr int kRegisters = kLanes / L::kWidth;

// The virtual lanes of one quantity, in registers.
template <class L>
struct LaneSums {
  typename L::Batch lane[kRegisters<L>];

  void Clear() {
    for (auto& batch : lane) batch = typename L::Batch(0.0F);
  }

  // Halving steps 16 and 8: to[i] holds lanes i, i + 8, i + 16, i + 24.
  void Fold(float (&to)[kFolded]) {
    constexpr int kKept = L::kWidth > kFolded ? L::kWidth : kFolded;
    for (int half = kRegisters<L> / 2; half * L::kWidth >= kFolded; half /= 2) {
      for (int j = 0; j < half; ++j) lane[j] = lane[j] + lane[j + half];
    }
    float kept[kKept];
    for (int j = 0; j * L::kWidth < kKept; ++j) {
      L::Store(reinterpret_cast<std::byte*>(kept + j * L::kWidth), lane[j]);
    }
    for (int i = 0; i < kFolded; ++i) to[i] = kKept > kFolded ? kept[i] + kept[i + kKept / 2] : kept[i];
  }
};

// The last halving steps: 4, 2, 1.
template <class T>
T TreeSum(const T (&v)[kFolded]) {
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

// Sums of a row's deviations and of their squares.
template <class L>
class Moments {
 public:
  using Batch = typename L::Batch;

  Moments() {
    s_.Clear();
    q_.Clear();
  }

  void AddBlock(int j, Batch d) {
    s_.lane[j] = s_.lane[j] + d;
    q_.lane[j] = L::Fma(d, d, q_.lane[j]);
  }

  void AddGroup(int j, Batch d0, Batch d1, Batch d2, Batch d3) {
    s_.lane[j] = s_.lane[j] + ((d0 + d1) + (d2 + d3));
    q_.lane[j] = q_.lane[j] + (L::Fma(d1, d1, d0 * d0) + L::Fma(d3, d3, d2 * d2));
  }

  // Moves the float lanes into the double ones.
  void Flush() {
    Flush(s_, sum_);
    Flush(q_, squares_);
  }

  double sum() const { return TreeSum(sum_); }
  double squares() const { return TreeSum(squares_); }

 private:
  static void Flush(LaneSums<L>& from, double (&to)[kFolded]) {
    float folded[kFolded];
    from.Fold(folded);
    for (int i = 0; i < kFolded; ++i) to[i] += static_cast<double>(folded[i]);
    from.Clear();
  }

  LaneSums<L> s_;
  LaneSums<L> q_;
  double sum_[kFolded] = {};
  double squares_[kFolded] = {};
};

}  // namespace
}  // namespace normd

#endif  // NORMD_MOMENTS_H_
