// SPDX-License-Identifier: Apache-2.0
#include "kernels.h"
#include "lanes.h"
#include "layer_norm_kernel.h"

namespace normd {
namespace {

// First n: from 1 to kWidth - 1.
struct Avx512Lanes : Lanes<xsimd::avx512f> {
  static Batch Fma(Batch a, Batch b, Batch c) { return _mm512_fmadd_ps(a, b, c); }
  static Batch LoadFirst(const std::byte* p, int n) { return _mm512_maskz_loadu_ps(FirstMask(n), p); }
  static void StoreFirst(std::byte* p, Batch v, int n) { _mm512_mask_storeu_ps(p, FirstMask(n), v); }
  // v with zeros past its first n floats.
  static Batch KeepFirst(Batch v, int n) { return _mm512_maskz_mov_ps(FirstMask(n), v); }

 private:
  static __mmask16 FirstMask(int n) { return static_cast<__mmask16>((1U << n) - 1); }
};

}  // namespace

const Kernels* Avx512Kernels() noexcept {
  static constexpr Kernels kKernels = {LayerNormOver<Avx512Lanes>};
  return &kKernels;
}

}  // namespace normd
