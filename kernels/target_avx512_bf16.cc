// SPDX-License-Identifier: Apache-2.0
//
// AVX-512 with an instruction that rounds to bfloat16. The other data types are those of avx512.

#include "avx512_lanes.h"
#include "norm_kernel.h"

namespace normd {

const Kernels* Avx512Kernels() noexcept;

namespace {

struct NativeBfloat16Codec : Avx512Lanes::Bfloat16Codec {
  // The instruction takes denormals for zeros, which the integer rounding keeps.
  static __m256i Encode(Avx512Lanes::Batch v) {
    constexpr int kDenormal = 0x20;
    if (_mm512_fpclass_ps_mask(v, kDenormal) != 0) [[unlikely]]
      return Avx512Lanes::Bfloat16Codec::Encode(v);
    return reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(v));
  }
};

struct NativeBfloat16 : Avx512Lanes::HalfIo<NativeBfloat16Codec> {
  static constexpr int kType = 2;
};

}  // namespace

const Kernels* Avx512Bf16Kernels() noexcept {
  static const Kernels kKernels = [] {
    Kernels kernels = *Avx512Kernels();
    Fill<Avx512Lanes, NativeBfloat16>(kernels, NativeBfloat16::kType);
    return kernels;
  }();
  return &kKernels;
}

}  // namespace normd
