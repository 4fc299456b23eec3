// SPDX-License-Identifier: Apache-2.0
//
// Lanes of plain C++: one float a register. It is the target that runs everywhere and the one others are
// compared with.

#ifndef NORMD_SCALAR_LANES_H_
#define NORMD_SCALAR_LANES_H_

#include <cstddef>
#include <cstdint>

#include "half.h"

namespace normd {
namespace {

struct ScalarLanes {
  using Batch = float;
  static constexpr int kWidth = 1;
  static constexpr int kBlockRows = 1;  // rows whose numbers fit in the registers
  struct Folded {
    float lane[8];
  };

  static void FenceStores() {}
  static Batch Fma(Batch a, Batch b, Batch c) { return __builtin_fmaf(a, b, c); }
  static bool AllZero(Batch v) { return v == 0; }
  static Batch Select(int64_t live, Batch a, Batch b) { return live > 0 ? a : b; }

  // Halving steps 16 and 8.
  static Folded Fold(const Batch (&lanes)[32]) {
    Folded folded;
    for (int i = 0; i < 8; ++i) folded.lane[i] = (lanes[i] + lanes[i + 16]) + (lanes[i + 8] + lanes[i + 24]);
    return folded;
  }
  static void AddTo(const Folded& folded, double (&lanes)[8]) {
    for (int i = 0; i < 8; ++i) lanes[i] += static_cast<double>(folded.lane[i]);
  }
  template <int R>
  static void TreeSums(const Folded (&rows)[R], float (&sums)[R]) {
    for (int r = 0; r < R; ++r) {
      const float(&v)[8] = rows[r].lane;
      sums[r] = ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
    }
  }

  // A register of one is whole or absent, so there are no partial ones.
  template <class Stored, int kIndex>
  struct ScalarIo {
    static constexpr int kType = kIndex;
    static constexpr int64_t kBytes = Stored::kBytes;
    static Batch Load(const std::byte* p) { return Stored::Load(p); }
    static Batch LoadLive(const std::byte* p, int64_t live, Batch fill) { return live > 0 ? Load(p) : fill; }
    static void Store(std::byte* p, Batch v) { Stored::Store(p, v); }
    static void StoreFirst(std::byte* p, Batch v, int) { Store(p, v); }
    static void StoreStreaming(std::byte* p, Batch v) { Store(p, v); }
  };
  using Float32 = ScalarIo<normd::Float32, 0>;
  using Float16 = ScalarIo<normd::Float16, 1>;
  using Bfloat16 = ScalarIo<normd::Bfloat16, 2>;
};

}  // namespace
}  // namespace normd

#endif  // NORMD_SCALAR_LANES_H_
