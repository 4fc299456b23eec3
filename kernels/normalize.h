// SPDX-License-Identifier: Apache-2.0
//
// The last pass: y, and residual_sum where it is wanted. Each element stands for itself, so that nothing here
// moves a bit.

#ifndef NORMD_NORMALIZE_H_
#define NORMD_NORMALIZE_H_

#include <cstddef>
#include <cstdint>

#include "kernels.h"

namespace normd {
namespace {

// The numbers of one row.
struct Affine {
  float mean;
  float rstd;
  float k;
};

// y of one row, by registers.
template <class L, class V, Formula kFormula, bool kGamma, bool kBeta>
class RowWriter {
 public:
  using Batch = typename L::Batch;
  using Io = typename V::Io;

  RowWriter(const NormCall& call, int64_t row, const Affine& affine)
      : call_(call),
        values_(call, row),
        y_(call.y.Row(row)),
        sum_(call.residual_sum.data == nullptr ? nullptr : call.residual_sum.Row(row)),
        mean_(affine.mean),
        rstd_(affine.rstd),
        k_(affine.k) {}

  template <bool kStreaming>
  void Run() const {
    if (call_.hidden < L::kWidth) return RunShort();
    if constexpr (V::kResidual) {
      if (sum_ != nullptr) return RunWhole<kStreaming, true>();
    }
    RunWhole<kStreaming, false>();
  }

 private:
  static const std::byte* Bytes(const float* p, int64_t i) {
    return reinterpret_cast<const std::byte*>(p + i);
  }

  // The values and what becomes of them.
  struct Result {
    Batch values;
    Batch y;
  };

  Result At(int64_t i) const {
    const Batch values = values_.Load(i);
    return {values, Apply(values, [i](const float* p) { return L::Float32::Load(Bytes(p, i)); })};
  }

  // `parameter` loads what goes with the values of one of the [hidden] arrays.
  template <class Parameter>
  Batch Apply(Batch values, Parameter parameter) const {
    if constexpr (kFormula == Formula::kBatch) return PerFeature(values, parameter);
    Batch y = Xhat(values);
    if constexpr (kGamma && kBeta) return L::Fma(y, parameter(call_.gamma), parameter(call_.beta));
    if constexpr (kGamma) y = y * parameter(call_.gamma);
    if constexpr (kBeta) y = y + parameter(call_.beta);
    return y;
  }

  Batch Xhat(Batch values) const {
    if constexpr (kFormula == Formula::kRms) return values * rstd_;
    return L::Fma(values - mean_, rstd_, k_);
  }

  // gamma is part of feature_scale.
  template <class Parameter>
  Batch PerFeature(Batch values, Parameter parameter) const {
    const Batch deviation = values - parameter(call_.feature_mean);
    const Batch scale = parameter(call_.feature_scale);
    if constexpr (kBeta) return L::Fma(deviation, scale, parameter(call_.beta));
    return deviation * scale;
  }

  void RunShort() const {
    const int n = static_cast<int>(call_.hidden);
    const Batch zero(0.0F);
    const Batch values = values_.LoadLive(0, n, zero);
    const Batch y = Apply(values, [&](const float* p) { return L::Float32::LoadLive(Bytes(p, 0), n, zero); });
    if (sum_ != nullptr) Io::StoreFirst(sum_, values, n);
    Io::StoreFirst(y_, y, n);
  }

  template <bool kSum>
  void Store(int64_t i, const Result& result) const {
    if constexpr (kSum) Io::Store(sum_ + i * Io::kBytes, result.values);
    Io::Store(y_ + i * Io::kBytes, result.y);
  }

  // The values before the first register of y that is aligned, where stores go past the caches; else none.
  template <bool kStreaming>
  int64_t Unaligned() const {
    if constexpr (!kStreaming) return 0;
    constexpr uintptr_t kRegister = L::kWidth * Io::kBytes;
    return static_cast<int64_t>(-reinterpret_cast<uintptr_t>(y_) % kRegister) / Io::kBytes;
  }

  // A register at either end overlaps its neighbour, which is cheaper than masks. Both are read before
  // anything is written, since y may lie on x.
  template <bool kStreaming, bool kSum>
  void RunWhole() const {
    const int64_t begin = Unaligned<kStreaming>();
    const int64_t last = call_.hidden - L::kWidth;
    const bool ragged = (call_.hidden - begin) % L::kWidth != 0;
    const Result head = kStreaming && begin != 0 ? At(0) : Result{};
    const Result tail = ragged ? At(last) : Result{};
    for (int64_t i = begin; i <= last; i += L::kWidth) {
      const Result result = At(i);
      if constexpr (kStreaming) {
        if constexpr (kSum) Io::Store(sum_ + i * Io::kBytes, result.values);
        Io::StoreStreaming(y_ + i * Io::kBytes, result.y);
      } else {
        Store<kSum>(i, result);
      }
    }
    if (ragged) Store<kSum>(last, tail);
    if (kStreaming && begin != 0) Store<kSum>(0, head);
  }

  const NormCall& call_;
  V values_;
  std::byte* y_;
  std::byte* sum_;
  Batch mean_;
  Batch rstd_;
  Batch k_;
};

// The numbers of `count` rows, as arrays.
struct AffineRows {
  const float* mean;
  const float* rstd;
  const float* k;
};

// The last pass of rows [first, first + count).
using NormalizeFunction = void (*)(const NormCall& call, int64_t first, int count, const AffineRows& affines);

template <class L, class V, Formula kFormula, bool kGamma, bool kBeta, bool kStreaming>
void NormalizeRows(const NormCall& call, int64_t first, int count, const AffineRows& affines) {
  for (int r = 0; r < count; ++r) {
    const Affine affine = {affines.mean[r], affines.rstd[r], affines.k[r]};
    RowWriter<L, V, kFormula, kGamma, kBeta>(call, first + r, affine).template Run<kStreaming>();
  }
}

template <class L, class V, Formula kFormula, bool kGamma, bool kBeta>
NormalizeFunction ChooseStores(const NormCall& call) {
  // Streaming stores are of whole registers, and those of y only reach an aligned one by whole values.
  const bool reachable = (reinterpret_cast<uintptr_t>(call.y.data) | static_cast<uintptr_t>(call.y.stride)) %
                             static_cast<uintptr_t>(V::Io::kBytes) ==
                         0;
  if (call.streaming && reachable) return NormalizeRows<L, V, kFormula, kGamma, kBeta, true>;
  return NormalizeRows<L, V, kFormula, kGamma, kBeta, false>;
}

// Chosen once a call.
template <class L, class V, Formula kFormula>
NormalizeFunction ChooseNormalize(const NormCall& call) {
  if constexpr (kFormula == Formula::kRms) {
    return call.gamma != nullptr ? ChooseStores<L, V, kFormula, true, false>(call)
                                 : ChooseStores<L, V, kFormula, false, false>(call);
  } else if constexpr (kFormula == Formula::kBatch) {
    return call.beta != nullptr ? ChooseStores<L, V, kFormula, false, true>(call)
                                : ChooseStores<L, V, kFormula, false, false>(call);
  } else {
    if (call.gamma != nullptr && call.beta != nullptr) return ChooseStores<L, V, kFormula, true, true>(call);
    if (call.gamma != nullptr) return ChooseStores<L, V, kFormula, true, false>(call);
    if (call.beta != nullptr) return ChooseStores<L, V, kFormula, false, true>(call);
    return ChooseStores<L, V, kFormula, false, false>(call);
  }
}

}  // namespace
}  // namespace normd

#endif  // NORMD_NORMALIZE_H_
