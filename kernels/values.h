// SPDX-License-Identifier: Apache-2.0
//
// The values of a row that are normalized.

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
template <class L, class IoType>
struct Values {
  using Io = IoType;
  using Batch = typename L::Batch;

  const std::byte* x;

  Values(const NormCall& call, int64_t row) : x(call.x.Row(row)) {}

  Batch Load(int64_t i) const { return Io::Load(x + i * Io::kBytes); }
  // The values from i on that are before `end`, then those of fill.
  Batch LoadLive(int64_t i, int64_t end, Batch fill) const {
    return Io::LoadLive(x + i * Io::kBytes, end - i, fill);
  }
};

}  // namespace
}  // namespace normd

#endif  // NORMD_VALUES_H_
