// SPDX-License-Identifier: Apache-2.0
#include <arm_neon.h>

#include <cstring>

#include "lanes.h"
#include "norm_kernel.h"

namespace normd {
namespace {

struct NeonLanes : Lanes<xsimd::neon64> {
  static constexpr int kBlockRows = 8;  // rows whose numbers fit in the registers
  struct Folded {
    float32x4_t low, high;
  };

  static void FenceStores() {}
  static Batch Fma(Batch a, Batch b, Batch c) { return vfmaq_f32(c, a, b); }
  static bool AllZero(Batch v) { return vminvq_u32(vceqzq_f32(v)) != 0; }
  // The first `live` lanes of a, then those of b; live may have any size.
  static Batch Select(int64_t live, Batch a, Batch b) {
    const int32x4_t index = {0, 1, 2, 3};
    return vbslq_f32(vcgtq_s32(vdupq_n_s32(Clamp(live)), index), a, b);
  }

  // Halving steps 16 and 8.
  static Folded Fold(const Batch (&lanes)[8]) {
    return {(lanes[0] + lanes[4]) + (lanes[2] + lanes[6]), (lanes[1] + lanes[5]) + (lanes[3] + lanes[7])};
  }
  static void AddTo(const Folded& folded, double (&lanes)[8]) {
    AddFour(folded.low, lanes);
    AddFour(folded.high, lanes + 4);
  }
  // The last halving steps, 4, 2, 1.
  template <int R>
  static void TreeSums(const Folded (&rows)[R], float (&sums)[R]) {
    for (int r = 0; r < R; ++r) {
      const float32x4_t four = vaddq_f32(rows[r].low, rows[r].high);
      const float32x2_t two = vadd_f32(vget_low_f32(four), vget_high_f32(four));
      sums[r] = vget_lane_f32(two, 0) + vget_lane_f32(two, 1);
    }
  }

  struct Float32 : Float32Io<Batch> {
    static Batch LoadLive(const std::byte* p, int64_t live, Batch fill) {
      float first[4];
      vst1q_f32(first, fill);
      std::memcpy(first, p, static_cast<size_t>(Clamp(live)) * sizeof(float));
      return vld1q_f32(first);
    }
    static void StoreFirst(std::byte* p, Batch v, int n) {
      float first[4];
      vst1q_f32(first, v);
      std::memcpy(p, first, static_cast<size_t>(n) * sizeof(float));
    }
    static void StoreStreaming(std::byte* p, Batch v) { Store(p, v); }
  };

  // 16-bit values, four of them to a register of floats.
  template <class Codec>
  struct HalfIo {
    static constexpr int64_t kBytes = 2;
    static Batch Load(const std::byte* p) {
      uint16x4_t halves;
      std::memcpy(&halves, p, sizeof halves);
      return Codec::Decode(halves);
    }
    static Batch LoadLive(const std::byte* p, int64_t live, Batch fill) {
      uint16x4_t first = vdup_n_u16(0);
      std::memcpy(&first, p, static_cast<size_t>(Clamp(live)) * kBytes);
      return Select(live, Codec::Decode(first), fill);
    }
    static void Store(std::byte* p, Batch v) { StoreFirst(p, v, kWidth); }
    static void StoreFirst(std::byte* p, Batch v, int n) {
      const uint16x4_t all = Codec::Encode(v);
      std::memcpy(p, &all, static_cast<size_t>(n) * kBytes);
    }
    static void StoreStreaming(std::byte* p, Batch v) { Store(p, v); }
  };

  struct Float16Codec {
    static Batch Decode(uint16x4_t halves) { return vcvt_f32_f16(vreinterpret_f16_u16(halves)); }
    static uint16x4_t Encode(Batch v) { return vreinterpret_u16_f16(vcvt_f16_f32(v)); }
  };
  struct Bfloat16Codec {
    static Batch Decode(uint16x4_t halves) { return vreinterpretq_f32_u32(vshll_n_u16(halves, 16)); }
    // To nearest, ties to even: half a unit less one is added, and one more where the kept part is odd.
    static uint16x4_t Encode(Batch v) {
      const uint32x4_t bits = vreinterpretq_u32_f32(v);
      const uint32x4_t odd = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
      return vshrn_n_u32(vaddq_u32(vaddq_u32(bits, vdupq_n_u32(0x7FFF)), odd), 16);
    }
  };
  struct Float16 : HalfIo<Float16Codec> {
    static constexpr int kType = 1;
  };
  struct Bfloat16 : HalfIo<Bfloat16Codec> {
    static constexpr int kType = 2;
  };

 private:
  static int32_t Clamp(int64_t live) {
    return static_cast<int32_t>(live < 0 ? 0 : (live > kWidth ? kWidth : live));
  }
  static void AddFour(float32x4_t four, double* lanes) {
    vst1q_f64(lanes, vaddq_f64(vld1q_f64(lanes), vcvt_f64_f32(vget_low_f32(four))));
    vst1q_f64(lanes + 2, vaddq_f64(vld1q_f64(lanes + 2), vcvt_high_f64_f32(four)));
  }
};

}  // namespace

const Kernels* NeonKernels() noexcept {
  static constexpr Kernels kKernels = KernelsOver<NeonLanes>();
  return &kKernels;
}

}  // namespace normd
