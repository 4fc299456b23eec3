// SPDX-License-Identifier: Apache-2.0
//
// What the lanes of all targets take from xsimd. A target's file adds what xsimd lacks: a real fma (8.1's is
// two roundings on avx512f and plain avx2), loads and stores of a register's first n values, of 16-bit values
// and past the caches. Included by target files only, so that no wide instruction reaches code that runs
// before a target is chosen.

#ifndef NORMD_LANES_H_
#define NORMD_LANES_H_

#include <cstddef>
#include <xsimd/xsimd.hpp>

namespace normd {
namespace {

inline const float* Floats(const std::byte* p) { return reinterpret_cast<const float*>(p); }
inline float* Floats(std::byte* p) { return reinterpret_cast<float*>(p); }

// Addresses have any alignment.
template <class Arch>
struct Lanes {
  using Batch = xsimd::batch<float, Arch>;
  static constexpr int kWidth = static_cast<int>(Batch::size);
};

// float32 values as they are stored, but for what each target adds.
template <class Batch>
struct Float32Io {
  static constexpr int kType = 0;
  static constexpr int64_t kBytes = 4;
  static Batch Load(const std::byte* p) { return Batch::load_unaligned(Floats(p)); }
  static void Store(std::byte* p, Batch v) { v.store_unaligned(Floats(p)); }
};

}  // namespace
}  // namespace normd

#endif  // NORMD_LANES_H_
