// SPDX-License-Identifier: Apache-2.0
//
// Lanes of plain C++: one float a register. It is the target that runs everywhere and the one others are
// compared with.

#ifndef NORMD_SCALAR_LANES_H_
#define NORMD_SCALAR_LANES_H_

#include <cstddef>
#include <cstring>

namespace normd {
namespace {

struct ScalarLanes {
  using Batch = float;
  static constexpr int kWidth = 1;

  static Batch Load(const std::byte* p) {
    Batch value = 0;
    std::memcpy(&value, p, sizeof value);
    return value;
  }
  static void Store(std::byte* p, Batch v) { std::memcpy(p, &v, sizeof v); }
  static Batch Fma(Batch a, Batch b, Batch c) { return __builtin_fmaf(a, b, c); }

  // A register of one is whole or absent, so there are no partial ones.
  static Batch LoadFirst(const std::byte* p, int) { return Load(p); }
  static void StoreFirst(std::byte* p, Batch v, int) { Store(p, v); }
  static Batch KeepFirst(Batch v, int) { return v; }
};

}  // namespace
}  // namespace normd

#endif  // NORMD_SCALAR_LANES_H_
