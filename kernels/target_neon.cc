// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "kernels.h"
#include "lanes.h"
#include "layer_norm_kernel.h"

namespace normd {
namespace {

// First n: from 1 to kWidth - 1.
struct NeonLanes : Lanes<xsimd::neon64> {
  static Batch Fma(Batch a, Batch b, Batch c) { return vfmaq_f32(c, a, b); }
  static Batch LoadFirst(const std::byte* p, int n) {
    float first[4] = {};
    std::memcpy(first, p, static_cast<size_t>(n) * sizeof(float));
    return vld1q_f32(first);
  }
  static void StoreFirst(std::byte* p, Batch v, int n) {
    float first[4];
    vst1q_f32(first, v);
    std::memcpy(p, first, static_cast<size_t>(n) * sizeof(float));
  }
  // v with zeros past its first n floats.
  static Batch KeepFirst(Batch v, int n) {
    const uint32x4_t index = {0, 1, 2, 3};
    const uint32x4_t keep = vcltq_u32(index, vdupq_n_u32(static_cast<uint32_t>(n)));
    return vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(v), keep));
  }
};

}  // namespace

const Kernels* NeonKernels() noexcept {
  static constexpr Kernels kKernels = {LayerNormOver<NeonLanes>};
  return &kKernels;
}

}  // namespace normd
