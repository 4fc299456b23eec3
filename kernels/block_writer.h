// SPDX-License-Identifier: Apache-2.0
//
// The last pass of several rows at once.

#ifndef NORMD_BLOCK_WRITER_H_
#define NORMD_BLOCK_WRITER_H_

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

// The numbers of several rows, as arrays.
struct AffineRows {
  const float* mean;
  const float* rstd;
  const float* k;
  AffineRows From(int r) const { return {mean + r, rstd + r, k + r}; }
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
constexpr bool GoTogether() {
  return L::kBlockRows > 1 && V::Io::kType != kFloat16Type;
}

// Whether BlockWriter writes these rows.
template <class L, class V, Formula kFormula, bool kStreaming>
constexpr bool HasBlocks() {
  return GoTogether<L, V>() && !kStreaming && kFormula != Formula::kBatch;
}

}  // namespace
}  // namespace normd

#endif  // NORMD_BLOCK_WRITER_H_
