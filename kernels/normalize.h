// SPDX-License-Identifier: Apache-2.0
//
// The last pass: y. Each element stands for itself, so that nothing here
// moves a bit.

#ifndef NORMD_NORMALIZE_H_
#define NORMD_NORMALIZE_H_

#include <cstddef>
#include <cstdint>

#include "block_writer.h"
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
      : hidden_(call.hidden),
        gamma_(call.gamma),
        beta_(call.beta),
        feature_mean_(call.feature_mean),
        feature_scale_(call.feature_scale),
        values_(call, row),
        y_(call.y.Row(row)),
        mean_(affine.mean),
        rstd_(affine.rstd),
        k_(affine.k) {}

  template <bool kStreaming>
  void Run() const {
    if (hidden_ < L::kWidth) return RunShort();
    RunWhole<kStreaming>();
  }

 private:
  static const std::byte* Bytes(const float* p, int64_t i) {
    return reinterpret_cast<const std::byte*>(p + i);
  }

  Batch At(int64_t i) const {
    return Apply(values_.Load(i), [i](const float* p) { return L::Float32::Load(Bytes(p, i)); });
  }

  // `parameter` loads what goes with the values of one of the [hidden] arrays.
  template <class Parameter>
  Batch Apply(Batch values, Parameter parameter) const {
    if constexpr (kFormula == Formula::kBatch) return PerFeature(values, parameter);
    Batch y = Xhat(values);
    if constexpr (kGamma && kBeta) return L::Fma(y, parameter(gamma_), parameter(beta_));
    if constexpr (kGamma) y = y * parameter(gamma_);
    if constexpr (kBeta) y = y + parameter(beta_);
    return y;
  }

  Batch Xhat(Batch values) const {
    if constexpr (kFormula == Formula::kRms) return values * rstd_;
    return L::Fma(values - mean_, rstd_, k_);
  }

  // gamma is part of feature_scale.
  template <class Parameter>
  Batch PerFeature(Batch values, Parameter parameter) const {
    const Batch deviation = values - parameter(feature_mean_);
    const Batch scale = parameter(feature_scale_);
    if constexpr (kBeta) return L::Fma(deviation, scale, parameter(beta_));
    return deviation * scale;
  }

  void RunShort() const {
    const int n = static_cast<int>(hidden_);
    const Batch zero(0.0F);
    const Batch values = values_.LoadLive(0, n, zero);
    const Batch y = Apply(values, [&](const float* p) { return L::Float32::LoadLive(Bytes(p, 0), n, zero); });
    Io::StoreFirst(y_, y, n);
  }

  void Store(int64_t i, Batch y) const { Io::Store(y_ + i * Io::kBytes, y); }

  // A register at either end overlaps its neighbour, which is cheaper than masks. Both are read before
  // anything is written, since y may lie on x.
  template <bool kStreaming>
  void RunWhole() const {
    const int64_t begin = kStreaming ? Unaligned<L, Io>(y_) : 0;
    const int64_t last = hidden_ - L::kWidth;
    const bool ragged = (hidden_ - begin) % L::kWidth != 0;
    const Batch head = kStreaming && begin != 0 ? At(0) : Batch(0.0F);
    const Batch tail = ragged ? At(last) : Batch(0.0F);
#pragma GCC unroll 2
    for (int64_t i = begin; i <= last; i += L::kWidth) {
      if constexpr (kStreaming) {
        Io::StoreStreaming(y_ + i * Io::kBytes, At(i));
      } else {
        Store(i, At(i));
      }
    }
    if (ragged) Store(last, tail);
    if (kStreaming && begin != 0) Store(0, head);
  }

  // Copies: what is written through y_ could otherwise be the call itself, and each would be read again.
  int64_t hidden_;
  const float* gamma_;
  const float* beta_;
  const float* feature_mean_;
  const float* feature_scale_;
  V values_;
  std::byte* y_;
  Batch mean_;
  Batch rstd_;
  Batch k_;
};

// The last pass: of row `row`, and of rows [first, first + count).
struct NormalizeFunctions {
  void (*row)(const NormCall& call, int64_t row, float mean, float rstd, float k);
  void (*rows)(const NormCall& call, int64_t first, int count, const AffineRows& affines);
};

template <class L, class V, Formula kFormula, bool kGamma, bool kBeta, bool kStreaming>
[[gnu::flatten]] void NormalizeRow(const NormCall& call, int64_t row, float mean, float rstd, float k) {
  RowWriter<L, V, kFormula, kGamma, kBeta>(call, row, {mean, rstd, k}).template Run<kStreaming>();
}

// BlockWriter takes rows of a register at least, all of which become aligned at the same value.
template <class L, class Io>
bool TakesBlocks(const NormCall& call) {
  return call.hidden >= L::kWidth && call.y.stride % (L::kWidth * Io::kBytes) == 0 &&
         reinterpret_cast<uintptr_t>(call.y.data) % Io::kBytes == 0;
}

template <class L, class V, Formula kFormula, bool kGamma, bool kBeta, bool kStreaming>
void NormalizeRows(const NormCall& call, int64_t first, int count, const AffineRows& affines) {
  int r = 0;
  if constexpr (HasBlocks<L, V, kFormula, kStreaming>()) {
    const auto write = [&]<int kRows>() {
      for (; r + kRows <= count; r += kRows) {
        WriteBlock<L, V, kFormula, kGamma, kBeta, kRows>(call, first + r, affines.From(r));
      }
    };
    if (count > 1 && TakesBlocks<L, typename V::Io>(call)) {
      write.template operator()<L::kBlockRows>();
      write.template operator()<2>();
    }
  }
  for (; r < count; ++r) {
    NormalizeRow<L, V, kFormula, kGamma, kBeta, kStreaming>(call, first + r, affines.mean[r], affines.rstd[r],
                                                            affines.k[r]);
  }
}

template <class L, class V, Formula kFormula, bool kGamma, bool kBeta>
NormalizeFunctions ChooseStores(const NormCall& call) {
  if constexpr (GoTogether<L, V>() && kFormula != Formula::kBatch) {
    // Streaming stores are of whole registers, and those of y only reach an aligned one by whole values.
    const auto place = reinterpret_cast<uintptr_t>(call.y.data) | static_cast<uintptr_t>(call.y.stride);
    if (call.streaming && place % V::Io::kBytes == 0) {
      return {NormalizeRow<L, V, kFormula, kGamma, kBeta, true>,
              NormalizeRows<L, V, kFormula, kGamma, kBeta, true>};
    }
  }
  return {NormalizeRow<L, V, kFormula, kGamma, kBeta, false>,
          NormalizeRows<L, V, kFormula, kGamma, kBeta, false>};
}

// Chosen once a call.
template <class L, class V, Formula kFormula>
NormalizeFunctions ChooseNormalize(const NormCall& call) {
  constexpr bool kTakesBeta = kFormula != Formula::kRms;
  constexpr bool kTakesGamma = kFormula != Formula::kBatch;
  if constexpr (kTakesBeta && kTakesGamma) {
    if (call.gamma != nullptr && call.beta != nullptr) return ChooseStores<L, V, kFormula, true, true>(call);
  }
  if constexpr (kTakesGamma) {
    if (call.gamma != nullptr) return ChooseStores<L, V, kFormula, true, false>(call);
  }
  if constexpr (kTakesBeta) {
    if (call.beta != nullptr) return ChooseStores<L, V, kFormula, false, true>(call);
  }
  return ChooseStores<L, V, kFormula, false, false>(call);
}

}  // namespace
}  // namespace normd

#endif  // NORMD_NORMALIZE_H_
