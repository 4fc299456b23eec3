// SPDX-License-Identifier: Apache-2.0
//
// layer_norm, written once over lanes. What follows fixes the bits, for every target.
//
// Element i of a row belongs to virtual lane i mod 32. Deviations d = x - centre are summed, and so are their
// squares:
//
//   hidden <= 256, block by block of 32:    s += d;  q = fma(d, d, q)
//   hidden >  256, by groups of 4 blocks:   s += (d0 + d1) + (d2 + d3)
//                                           q += fma(d1, d1, d0 * d0) + fma(d3, d3, d2 * d2)
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
// Error: the worst row found is 4.14 row-ULP off (one-hot, 1032 wide; 90 s at widths to 65,536), 3.98 in 600
// s at widths to 1,048,576; the contract says 8. Adding up each rounding at its largest and all of one sign,
// which no row can have, bounds it by 17.6. With a redo only from var on it is 7.7, from 4 var on 12.9, with
// 32 additions before a flush 8.9 (accuracy_search of tests/kernels; 90 s each).

#ifndef NORMD_LAYER_NORM_KERNEL_H_
#define NORMD_LAYER_NORM_KERNEL_H_

#include <cstddef>
#include <cstdint>

#include "kernels.h"
#include "moments.h"
#include "rescue.h"

namespace normd {
namespace {

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
