// SPDX-License-Identifier: Apache-2.0
//
// The norms, written once over lanes. What follows fixes the bits, for every target.
//
// Element i of a row belongs to virtual lane i mod 32. Under layer_norm deviations d = v - centre are summed,
// and so are their squares; under rms_norm d = v, and the squares alone are:
//
//   hidden <= 256, block by block of 32:    s += d;  q = fma(d, d, q)
//   hidden >  256, by groups of 4 blocks:   s += (d0 + d1) + (d2 + d3)
//                                           q += fma(d1, d1, d0 * d0) + fma(d3, d3, d2 * d2)
//
// Up to hidden 1151 that is at most 9 additions a lane, and one halving tree in float, 16, 8, 4, 2, 1, ends
// it. In wider rows the 32 lanes are folded to 8 in float after every 8 additions, and at the end, and those
// added to 8 double lanes, whose tree, 4, 2, 1, is in double: long runs of float additions drift (without it
// alternating +a, -a of 65,536 comes out 119 row-ULP off). Dead lanes past the row's end hold a deviation of
// 0, not a value of 0.
//
// The centre is the mean of the row's first elements, a power of two of them and at most 32, so that a
// constant row's centre is that constant. Where the mean lies far from it (m^2 > var / 4) the row is measured
// once more round the better centre.
//
// The last step is indifferent to the centre: mean = float(centre + m) is subtracted, and what that rounding
// lost comes back in k: xhat = fma(v - mean, rstd, k), k = float(-((centre - mean) + m) * rstd). A float mean
// alone is off by half a ULP of the base, which at a base of 1e5 and a spread of 0.01 is more than a third of
// sigma.
//
// Error: the worst layer_norm row found is 4.21 row-ULP off (four levels, 1,019 wide; 60 s at widths to
// 1,200), 3.72 in 300 s at widths to 1,048,576; rms_norm 3.66 (one-hot, 1,031 wide; 120 s); the contract
// says 8. Adding up each rounding at its largest and all of one sign, which no row can have, bounds
// layer_norm by about 21, so that 8 rests on the search. With a redo only from var on, or more additions
// before a flush, rows of 7 to 13 are found (accuracy_search of tests/kernels).
//
// Cost of the doubles, in instructions of the AVX2 target against the same in float: none at one row of 64 or
// 768, 4.3 % at 64 rows of 64, 0.5 % at 64 rows of 768, 1.3 % at 64 rows of 4,096.

#ifndef NORMD_NORM_KERNEL_H_
#define NORMD_NORM_KERNEL_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels.h"
#include "measure.h"
#include "normalize.h"
#include "regime.h"
#include "rescue.h"
#include "residual.h"
#include "statistics.h"
#include "values.h"

namespace normd {
namespace {

// Rows normalized by statistics of their own.
template <class L, class V, bool kShifted>
class MeasuredRows {
 public:
  static constexpr Formula kFormula = kShifted ? Formula::kLayer : Formula::kRms;

  explicit MeasuredRows(const NormCall& call)
      : call_(call), normalize_(ChooseNormalize<L, V, kFormula>(call)) {}

  void Run() const {
    int64_t row = 0;
    if constexpr (GoTogether<L, V>()) {
      if (call_.rows > 1) row = RunTogether();
    }
    for (; row < call_.rows; ++row) RunRow(row);
    if (call_.streaming) L::FenceStores();
  }

 private:
  // R rows on their way through the stages.
  template <int R>
  struct Rows {
    RowSums<R> sums;
    Affines<R> affines;
    int64_t doubts[R];
  };

  // Rows in groups as large as the regime has them, then in smaller ones. Returns the first row that was not
  // done.
  int64_t RunTogether() const {
    const int rows_at_once = RowsAtOnce(call_);
    int64_t row = 0;
    if (rows_at_once == 8) row = RunPipelined<8>(row);
    if (rows_at_once >= 2) row = RunPipelined<2>(row);
    return row;
  }

  // Finds the centres of R rows, measures the R in front of them and normalizes the R in front of those, so
  // that the long latencies, from values to centre and from sums to statistics, are spent on other work.
  // Returns the first row that was not done.
  template <int R>
  int64_t RunPipelined(int64_t begin) const {
    const int64_t groups = (call_.rows - begin) / R;
    if (groups == 0) return begin;
    Rows<R> ring[2];
    for (int64_t group = -1; group <= groups; ++group) {
      Rows<R>& current = ring[group & 1];
      Rows<R>& other = ring[(group + 1) & 1];
      const int64_t row = begin + group * R;
      if (group + 1 < groups) FindCentre(row + R, other);
      if (group >= 0 && group < groups) Measure(row, current);
      if (group > 0) Normalize(row - R, other.affines);
    }
    return begin + groups * R;
  }

  [[gnu::flatten]] void RunRow(int64_t row) const {
    Rows<1> only;
    FindCentre(row, only);
    Measure(row, only);
    const Affines<1>& affines = only.affines;
    if (affines.rescued != 0) [[unlikely]]
      return RescueRow(kFormula, V::Io::kType, call_, row);
    normalize_.row(call_, row, affines.mean[0], affines.rstd[0], affines.k[0]);
    if (call_.mean != nullptr) call_.mean[row] = affines.mean[0];
    if (call_.rstd != nullptr) call_.rstd[row] = affines.rstd[0];
  }

  template <int R>
  [[gnu::flatten]] void FindCentre(int64_t first, Rows<R>& rows) const {
    if constexpr (kShifted) FindCentres<L, V>(call_, first, rows.sums.centre);
  }

  template <int R>
  [[gnu::flatten]] void Measure(int64_t first, Rows<R>& rows) const {
    Sum<L, V, kShifted>(call_, first, rows.sums);
    if (Finish(rows) == 0) [[likely]]
      return;
    // A copy, so that the rows that need none of this stay in registers.
    Rows<R> doubted = rows;
    for (int r = 0; r < R; ++r) {
      if (doubted.doubts[r] != 0) Settle<R>(first, r, doubted);
    }
    rows.affines = doubted.affines;
  }

  // The doubts of all rows.
  template <int R>
  int64_t Finish(Rows<R>& rows) const {
    const double epsilon = static_cast<double>(call_.epsilon);
    rows.affines.rescued = 0;
    if constexpr (kShifted)
      return FinishLayer<R>(rows.sums, call_.inverse_hidden, epsilon, rows.affines, rows.doubts);
    return FinishRms<R>(rows.sums, call_.inverse_hidden, epsilon, rows.affines, rows.doubts);
  }

  // A row that cannot stand as it was measured: it gets a better centre, or is left to the rescue.
  template <int R>
  [[gnu::noinline]] void Settle(int64_t first, int r, Rows<R>& rows) const {
    Affines<R>& affines = rows.affines;
    Rows<1> better;
    better.sums.centre[0] = BetterCentre(rows.sums.centre[r], rows.sums.sum[r], call_.inverse_hidden);
    if (rows.doubts[r] == kPoor) Sum<L, V, kShifted>(call_, first + r, better.sums);
    if (rows.doubts[r] != kPoor || (Finish(better) & kUnfit) != 0) {
      affines.rescued |= 1U << r;
      return;
    }
    affines.mean[r] = better.affines.mean[0];
    affines.rstd[r] = better.affines.rstd[0];
    affines.k[r] = better.affines.k[0];
  }

  template <int R>
  void Normalize(int64_t first, const Affines<R>& affines) const {
    if (affines.rescued == 0) [[likely]]
      return NormalizeFrom<R>(first, affines, 0, R);
    for (int r = 0; r < R; ++r) {
      if ((affines.rescued >> r & 1U) != 0) {
        RescueRow(kFormula, V::Io::kType, call_, first + r);
      } else {
        NormalizeFrom<R>(first, affines, r, 1);
      }
    }
  }

  template <int R>
  void NormalizeFrom(int64_t first, const Affines<R>& affines, int r, int count) const {
    normalize_.rows(call_, first + r, count, {affines.mean + r, affines.rstd + r, affines.k + r});
    if (call_.mean != nullptr) StoreStatistics(affines.mean + r, count, call_.mean + first + r);
    if (call_.rstd != nullptr) StoreStatistics(affines.rstd + r, count, call_.rstd + first + r);
  }

  static void StoreStatistics(const float* from, int count, float* to) {
    for (int r = 0; r < count; ++r) to[r] = from[r];
  }

  const NormCall& call_;
  NormalizeFunctions normalize_;
};

// Rows normalized by statistics that came with the call or the layer.
template <class L, class V, Formula kFormula>
class FixedRows {
 public:
  explicit FixedRows(const NormCall& call)
      : call_(call), normalize_(ChooseNormalize<L, V, Applied()>(call)) {}

  void Run() const {
    for (int64_t row = 0; row < call_.rows; ++row) {
      const float mean = kFormula == Formula::kGivenLayer ? call_.given_mean[row] : 0.0F;
      const float rstd = kFormula == Formula::kBatch ? 1.0F : call_.given_rstd[row];
      if (!StaysFinite(row, mean, rstd)) {
        RescueRow(kFormula, V::Io::kType, call_, row);
        continue;
      }
      normalize_.row(call_, row, mean, rstd, 0);
    }
    if (call_.streaming) L::FenceStores();
  }

 private:
  using Batch = typename L::Batch;
  static constexpr bool kPerFeature = kFormula == Formula::kBatch;

  static constexpr Formula Applied() {
    if (kFormula == Formula::kGivenLayer) return Formula::kLayer;
    return kFormula == Formula::kGivenRms ? Formula::kRms : kFormula;
  }

  // Whether each element of the row, and what comes before gamma and beta, is finite. It is asked before
  // anything is written, since y may lie on x.
  bool StaysFinite(int64_t row, float mean, float rstd) const {
    const V values(call_, row);
    const Batch zero(0.0F);
    Batch poison = zero;
    // 0 * xhat is NaN where xhat is not finite, and stays NaN.
    const auto add = [&](Batch v, Batch centre) {
      poison = L::Fma((v - centre) * Batch(rstd), zero, poison);
    };
    int64_t i = 0;
    for (; i + L::kWidth <= call_.hidden; i += L::kWidth) {
      add(values.Load(i), kPerFeature ? L::Float32::Load(FeatureMean(i)) : Batch(mean));
    }
    if (i < call_.hidden) {
      add(values.LoadLive(i, call_.hidden, kPerFeature ? zero : Batch(mean)),
          kPerFeature ? L::Float32::LoadLive(FeatureMean(i), call_.hidden - i, zero) : Batch(mean));
    }
    return L::AllZero(poison);
  }

  const std::byte* FeatureMean(int64_t i) const {
    return reinterpret_cast<const std::byte*>(call_.feature_mean + i);
  }

  const NormCall& call_;
  NormalizeFunctions normalize_;
};

template <class L, class V, Formula kFormula>
void RunRows(const NormCall& call) {
  if constexpr (kFormula == Formula::kLayer) {
    MeasuredRows<L, V, true>(call).Run();
  } else if constexpr (kFormula == Formula::kRms) {
    MeasuredRows<L, V, false>(call).Run();
  } else {
    FixedRows<L, V, kFormula>(call).Run();
  }
}

template <class L, class Io, Formula kFormula>
void NormOver(const NormCall& call) noexcept {
  using V = Values<L, Io>;
  if (call.residual.data == nullptr) return RunRows<L, V, kFormula>(call);
  ForSums<L, Io>(call, [](const NormCall& sums) { RunRows<L, V, kFormula>(sums); });
}

template <class L, class Io>
constexpr void Fill(Kernels& kernels, int type) {
  kernels.functions[static_cast<int>(Formula::kLayer)][type] = NormOver<L, Io, Formula::kLayer>;
  kernels.functions[static_cast<int>(Formula::kRms)][type] = NormOver<L, Io, Formula::kRms>;
  kernels.functions[static_cast<int>(Formula::kGivenLayer)][type] = NormOver<L, Io, Formula::kGivenLayer>;
  kernels.functions[static_cast<int>(Formula::kGivenRms)][type] = NormOver<L, Io, Formula::kGivenRms>;
  kernels.functions[static_cast<int>(Formula::kBatch)][type] = NormOver<L, Io, Formula::kBatch>;
}

// All functions of a target: the one instantiation that its file makes.
template <class L>
constexpr Kernels KernelsOver() {
  Kernels kernels = {};
  Fill<L, typename L::Float32>(kernels, 0);
  Fill<L, typename L::Float16>(kernels, 1);
  Fill<L, typename L::Bfloat16>(kernels, 2);
  return kernels;
}

}  // namespace
}  // namespace normd

#endif  // NORMD_NORM_KERNEL_H_
