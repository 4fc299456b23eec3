// SPDX-License-Identifier: Apache-2.0
//
// layer_norm, written once over lanes. What follows fixes the bits, for every target.
//
// Element i of a row belongs to virtual lane i mod 32. Deviations d = x - centre are summed, and so are their
// squares:
//
//   hidden <= 256   s += d;                    q = fma(d, d, q)                          block by block of 32
//   hidden >  256   s += (d0 + d1) + (d2 + d3);  q += fma(d1, d1, d0 * d0) + fma(d3, d3, d2 * d2)
//                                                                                        by groups of 4
//                                                                                        blocks
//
// After 8 such additions a lane, and at the end, the 32 lanes are folded to 8 in float and those added to 8
// double lanes: long runs of float additions drift (without it alternating +a, -a of 65,536 comes out 119
// row-ULP off). One halving tree, 4, 2, 1, ends it. Dead lanes past the row's end hold a deviation of 0, not
// a value of 0.
//
// The centre is the mean of the row's first elements, a power of two of them and at most 32, so that a
// constant row's centre is that constant. Where the mean lies far from it (m^2 > var / 4) the row is measured
// once more round the better centre.
//
// The last step is indifferent to the centre: mean = float(centre + m) is subtracted, and what that rounding
// lost comes back in k: xhat = fma(x - mean, rstd, k), k = float(-((centre - mean) + m) * rstd). A float mean
// alone is off by half a ULP of the base, which at a base of 1e5 and a spread of 0.01 is more than a third of
// sigma.
//
// Error: these constants keep the contract's 8 row-ULP; accuracy_search (tests/kernels) looks for the row
// that breaks them.

#ifndef NORMD_LAYER_NORM_KERNEL_H_
#define NORMD_LAYER_NORM_KERNEL_H_

#include <cstddef>
#include <cstdint>

#include "kernels.h"
#include "rescue.h"

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

// The first `live` floats at p and zeros after them; live may be 0 or less, or more than a register.
template <class L>
typename L::Batch LoadLive(const std::byte* p, int64_t live) {
  if (live >= L::kWidth) return L::Load(p);
  if (live <= 0) return typename L::Batch(0.0F);
  return L::LoadFirst(p, static_cast<int>(live));
}

// Their deviations. The zeros are placed after the centre is subtracted: a dead lane adds nothing.
template <class L>
typename L::Batch DeviationLive(const std::byte* p, int64_t live, typename L::Batch centre) {
  if (live >= L::kWidth) return L::Load(p) - centre;
  if (live <= 0) return typename L::Batch(0.0F);
  return L::KeepFirst(L::LoadFirst(p, static_cast<int>(live)) - centre, static_cast<int>(live));
}

template <class L>
constexpr int64_t RegisterOffset(int block, int j) {
  return (int64_t{block} * kLanes + int64_t{j} * L::kWidth) * kFloatBytes;
}

template <class L>
void MeasureNarrow(const std::byte* x, int64_t hidden, typename L::Batch centre, Moments<L>& moments) {
  int64_t i = 0;
  for (; i + kLanes <= hidden; i += kLanes, x += kLanes * kFloatBytes) {
    for (int j = 0; j < kRegisters<L>; ++j)
      moments.AddBlock(j, L::Load(x + RegisterOffset<L>(0, j)) - centre);
  }
  if (i == hidden) return;
  for (int j = 0; j < kRegisters<L>; ++j) {
    moments.AddBlock(
        j, DeviationLive<L>(x + RegisterOffset<L>(0, j), hidden - i - int64_t{j} * L::kWidth, centre));
  }
}

// Groups of four blocks, `deviation(block, j)` giving the deviations of register j of a block.
template <class L, class Deviation>
void AddGroup(Moments<L>& moments, Deviation deviation) {
  for (int j = 0; j < kRegisters<L>; ++j) {
    moments.AddGroup(j, deviation(0, j), deviation(1, j), deviation(2, j), deviation(3, j));
  }
}

template <class L>
void MeasureWide(const std::byte* x, int64_t hidden, typename L::Batch centre, Moments<L>& moments) {
  int64_t i = 0;
  for (int additions = 0; i + kGroup <= hidden; i += kGroup, x += kGroup * kFloatBytes) {
    if (additions == kAdditions) {
      moments.Flush();
      additions = 0;
    }
    AddGroup(moments, [&](int block, int j) { return L::Load(x + RegisterOffset<L>(block, j)) - centre; });
    ++additions;
  }
  if (i == hidden) return;
  // A last group may make nine additions a lane; it is not worth a flush of its own.
  AddGroup(moments, [&](int block, int j) {
    const int64_t offset = RegisterOffset<L>(block, j);
    return DeviationLive<L>(x + offset, hidden - i - offset / kFloatBytes, centre);
  });
}

// The largest power of two that is at most min(hidden, 32).
inline int64_t CentreCount(int64_t hidden) {
  int64_t count = kLanes;
  while (count > hidden) count /= 2;
  return count;
}

template <class L>
float Centre(const std::byte* x, int64_t hidden) {
  const int64_t count = CentreCount(hidden);
  LaneSums<L> values;
  for (int j = 0; j < kRegisters<L>; ++j) {
    values.lane[j] = LoadLive<L>(x + RegisterOffset<L>(0, j), count - int64_t{j} * L::kWidth);
  }
  float folded[kFolded];
  values.Fold(folded);
  return TreeSum(folded) * (1.0F / static_cast<float>(count));
}

// What a row was measured to be. The mean is centre + shift.
struct Statistics {
  float centre;
  double shift;
  double square;    // mean of the squared deviations from the centre
  double variance;  // the same from the mean

  bool ShiftIsPoor() const { return shift * shift > variance / 4; }
};

template <class L>
Statistics Measure(const std::byte* x, int64_t hidden, float centre) {
  Moments<L> moments;
  if (hidden <= kNarrow) {
    MeasureNarrow<L>(x, hidden, typename L::Batch(centre), moments);
  } else {
    MeasureWide<L>(x, hidden, typename L::Batch(centre), moments);
  }
  moments.Flush();
  const double n = static_cast<double>(hidden);
  const double shift = moments.sum() / n;
  const double square = moments.squares() / n;
  const double variance = square - shift * shift;
  return {centre, shift, square, variance > 0 ? variance : 0};
}

// y = gamma * fma(x - mean, rstd, k) + beta
struct Affine {
  float mean;
  float rstd;
  float k;
};

// False where the row's squares left float's range, on either side, or an element is not finite; written so
// that NaN gives false. Testing the variance or rstd alone is not enough: an infinite square gives a finite
// rstd, and +-3e-23 with epsilon 0 gives one that is wrong by millions.
inline bool Finish(const Statistics& row, float epsilon, Affine* affine) {
  constexpr double kLeastSum = 0x1p-100;
  constexpr double kLeastRstd = 0x1p-126;
  constexpr double kLargest = 0x1.fffffffffffffp+1023;
  const double sum = row.variance + static_cast<double>(epsilon);
  const double rstd = 1.0 / __builtin_sqrt(sum);
  if (!(row.square <= kLargest && sum >= kLeastSum && rstd <= kLargest && rstd >= kLeastRstd)) return false;
  affine->mean = static_cast<float>(static_cast<double>(row.centre) + row.shift);
  affine->rstd = static_cast<float>(rstd);
  const double lost = (static_cast<double>(row.centre) - static_cast<double>(affine->mean)) + row.shift;
  affine->k = static_cast<float>(-lost * rstd);
  return true;
}

template <class L, bool kGamma, bool kBeta>
typename L::Batch ScaleAndShift(typename L::Batch xhat, typename L::Batch gamma, typename L::Batch beta) {
  if constexpr (kGamma && kBeta) return L::Fma(xhat, gamma, beta);
  if constexpr (kGamma) return xhat * gamma;
  if constexpr (kBeta) return xhat + beta;
  return xhat;
}

template <class L, bool kGamma, bool kBeta>
void Normalize(const LayerNormCall& call, const std::byte* x, std::byte* y, const Affine& affine) {
  using Batch = typename L::Batch;
  const Batch mean(affine.mean);
  const Batch rstd(affine.rstd);
  const Batch k(affine.k);
  const auto* gamma = reinterpret_cast<const std::byte*>(call.gamma);
  const auto* beta = reinterpret_cast<const std::byte*>(call.beta);
  const auto apply = [&](Batch values, int64_t at, int64_t live) {
    const Batch xhat = L::Fma(values - mean, rstd, k);
    const Batch scale = kGamma ? LoadLive<L>(gamma + at, live) : xhat;
    const Batch shift = kBeta ? LoadLive<L>(beta + at, live) : xhat;
    return ScaleAndShift<L, kGamma, kBeta>(xhat, scale, shift);
  };
  const int64_t whole = call.hidden / L::kWidth * L::kWidth * kFloatBytes;
  for (int64_t at = 0; at < whole; at += L::kWidth * kFloatBytes)
    L::Store(y + at, apply(L::Load(x + at), at, L::kWidth));
  const int live = static_cast<int>(call.hidden % L::kWidth);
  if (live > 0) L::StoreFirst(y + whole, apply(L::LoadFirst(x + whole, live), whole, live), live);
}

template <class L, bool kGamma, bool kBeta>
void LayerNormRow(const LayerNormCall& call, int64_t row) {
  const std::byte* x = call.x + row * call.x_stride;
  Statistics statistics = Measure<L>(x, call.hidden, Centre<L>(x, call.hidden));
  if (statistics.ShiftIsPoor()) {
    const double better = static_cast<double>(statistics.centre) + statistics.shift;
    statistics = Measure<L>(x, call.hidden, static_cast<float>(better));
  }
  Affine affine;
  if (!Finish(statistics, call.epsilon, &affine)) return RescueLayerNormRow(call, row);
  if (call.mean != nullptr) call.mean[row] = affine.mean;
  if (call.rstd != nullptr) call.rstd[row] = affine.rstd;
  Normalize<L, kGamma, kBeta>(call, x, call.y + row * call.y_stride, affine);
}

template <class L, bool kGamma, bool kBeta>
void LayerNormRows(const LayerNormCall& call) {
  for (int64_t row = 0; row < call.rows; ++row) LayerNormRow<L, kGamma, kBeta>(call, row);
}

// The one instantiation a target file makes.
template <class L>
void LayerNormOver(const LayerNormCall& call) noexcept {
  if (call.gamma != nullptr && call.beta != nullptr) return LayerNormRows<L, true, true>(call);
  if (call.gamma != nullptr) return LayerNormRows<L, true, false>(call);
  if (call.beta != nullptr) return LayerNormRows<L, false, true>(call);
  LayerNormRows<L, false, false>(call);
}

}  // namespace
}  // namespace normd

#endif  // NORMD_LAYER_NORM_KERNEL_H_
