// SPDX-License-Identifier: Apache-2.0
//
// The values of a row that are normalized: x, or x + residual rounded to the data type. They are formed anew
// in each pass over the row, so that nothing is written before the last one and y and residual_sum may lie on
// x and residual.

#ifndef NORMD_VALUES_H_
#define NORMD_VALUES_H_

#include <cstddef>
#include <cstdint>

#include "kernels.h"

namespace normd {
namespace {

// `Io` converts a register of values between float and the way they are stored:
//   kBytes                      of a value
//   Load(p), Store(p, v)        a whole register; StoreStreaming(p, v) past the caches, p aligned to it
//   LoadLive(p, live, fill)     the first `live` values at p, then those of fill; live may have any size
//   StoreFirst(p, v, n)         the first n values, 0 < n < kWidth
//   Round(v)                    v as it comes back after being stored
template <class L, class IoType, bool kHasResidual>
struct Values {
  using Io = IoType;
  using Batch = typename L::Batch;
  static constexpr bool kResidual = kHasResidual;

  const std::byte* x;
  const std::byte* residual;

  Values(const NormCall& call, int64_t row) : x(call.x.Row(row)), residual(nullptr) {
    if constexpr (kResidual) residual = call.residual.Row(row);
  }

  Batch Load(int64_t i) const {
    if constexpr (kResidual)
      return Io::Round(Io::Load(x + i * Io::kBytes) + Io::Load(residual + i * Io::kBytes));
    return Io::Load(x + i * Io::kBytes);
  }

  // The values from i on that are before `end`, then those of fill.
  Batch LoadLive(int64_t i, int64_t end, Batch fill) const {
    const Batch values = Io::LoadLive(x + i * Io::kBytes, end - i, fill);
    if constexpr (!kResidual) return values;
    const Batch zero(0.0F);
    const Batch sum = Io::Round(Io::LoadLive(x + i * Io::kBytes, end - i, zero) +
                                Io::LoadLive(residual + i * Io::kBytes, end - i, zero));
    return L::Select(end - i, sum, fill);
  }
};

}  // namespace
}  // namespace normd

#endif  // NORMD_VALUES_H_
