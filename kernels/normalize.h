// SPDX-License-Identifier: Apache-2.0
//
// The last pass: y. Each element stands for itself, so that nothing here
// moves a bit.

#ifndef NORMD_NORMALIZE_H_
#define NORMD_NORMALIZE_H_

#include <cstddef>
#include <cstdint>

#include "kernels.h"

namespace normd {
namespace {

// The values of y before its first aligned register.
template <class L, class Io>
int64_t Unaligned(const std::byte* y) {
  return static_cast<int64_t>(-reinterpret_cast<uintptr_t>(y) % (L::kWidth * Io::kBytes)) / Io::kBytes;
}

// The numbers of one row.
struct Affine {
  float mean;
  float rstd;
  float k;
};

// The numbers of several rows, as arrays.
struct AffineRows {
  const float* mean;
  const float* rstd;
  const float* k;
  AffineRows From(int r) const { return {mean + r, rstd + r, k + r}; }
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

// y of kRows narrow rows, register by register of all of them, so that gamma and beta are loaded once for all
// and each row's numbers stay in registers: half the instructions of one row after the other.
template <class L, class V, Formula kFormula, bool kGamma, bool kBeta, int kRows>
class BlockWriter {
 public:
  using Batch = typename L::Batch;
  using Io = typename V::Io;

  BlockWriter(const NormCall& call, int64_t first, const AffineRows& affines)
      : x_{call.x.Row(first), call.x.stride},
        y_{call.y.Row(first), call.y.stride},
        hidden_(call.hidden),
        gamma_(call.gamma),
        beta_(call.beta) {
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      mean_[r] = Batch(affines.mean[r]);
      rstd_[r] = Batch(affines.rstd[r]);
      k_[r] = Batch(affines.k[r]);
    }
  }

  // Stores that straddle cache lines, in turn to several rows, cost more than is won: a row's stores are
  // aligned, and as in RowWriter a register at either end overlaps its neighbour and is read before anything
  // is written.
  void Run() const {
    const int64_t begin = Unaligned<L, Io>(y_.data);
    const int64_t last = hidden_ - L::kWidth;
    const bool ragged = (hidden_ - begin) % L::kWidth != 0;
    Batch head[kRows];
    Batch tail[kRows];
    if (begin != 0) Compute(0, [&](int r, Batch y) { head[r] = y; });
    if (ragged) Compute(last, [&](int r, Batch y) { tail[r] = y; });
    for (int64_t i = begin; i <= last; i += L::kWidth)
      Compute(i, [&](int r, Batch y) { Io::Store(At(y_, r, i), y); });
    if (begin != 0) Store(0, head);
    if (ragged) Store(last, tail);
  }

 private:
  static const std::byte* Bytes(const float* p, int64_t i) {
    return reinterpret_cast<const std::byte*>(p + i);
  }

  // Calls take(r, y) with register i of each row.
  template <class Take>
  void Compute(int64_t i, Take take) const {
    const Batch scale = kGamma ? L::Float32::Load(Bytes(gamma_, i)) : Batch(1.0F);
    const Batch shift = kBeta ? L::Float32::Load(Bytes(beta_, i)) : Batch(0.0F);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) take(r, Apply(r, Io::Load(At(x_, r, i)), scale, shift));
  }

  void Store(int64_t i, const Batch (&y)[kRows]) const {
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) Io::Store(At(y_, r, i), y[r]);
  }

  template <class Stream>
  static auto At(const Stream& stream, int r, int64_t i) {
    return stream.data + r * stream.stride + i * Io::kBytes;
  }

  Batch Apply(int r, Batch values, Batch scale, Batch shift) const {
    const Batch xhat =
        kFormula == Formula::kRms ? values * rstd_[r] : L::Fma(values - mean_[r], rstd_[r], k_[r]);
    if constexpr (kGamma && kBeta) return L::Fma(xhat, scale, shift);
    if constexpr (kGamma) return xhat * scale;
    if constexpr (kBeta) return xhat + shift;
    return xhat;
  }

  InputStream x_;  // from the first of the rows on
  OutputStream y_;
  int64_t hidden_;
  const float* gamma_;
  const float* beta_;
  Batch mean_[kRows];
  Batch rstd_[kRows];
  Batch k_[kRows];
};

template <class L, class V, Formula kFormula, bool kGamma, bool kBeta, int kRows>
[[gnu::flatten]] void WriteBlock(const NormCall& call, int64_t first, const AffineRows& affines) {
  BlockWriter<L, V, kFormula, kGamma, kBeta, kRows>(call, first, affines).Run();
}

// Whether rows of these values are done several at once, and whether they can go past the caches: not where
// it is rarely asked for, since each way is machine code of its own.
template <class L, class V>
inline constexpr bool kTogether = L::kBlockRows > 1 && V::Io::kType != L::Float16::kType;
template <class L, class V>
inline constexpr bool kStreams = L::kBlockRows > 1 && V::Io::kType != L::Float16::kType;

// Whether BlockWriter writes these rows.
template <class L, class V, Formula kFormula, bool kStreaming>
inline constexpr bool kHasBlocks = kTogether<L, V> && !kStreaming && kFormula != Formula::kBatch;

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
  if constexpr (kHasBlocks<L, V, kFormula, kStreaming>) {
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
  if constexpr (kStreams<L, V> && kFormula != Formula::kBatch) {
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
