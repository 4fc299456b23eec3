// SPDX-License-Identifier: Apache-2.0
#include "kernels.h"
#include "lanes.h"
#include "layer_norm_kernel.h"

namespace normd {
namespace {

// First n: from 1 to kWidth - 1.
struct Avx2Lanes : Lanes<xsimd::avx2> {
  static Batch Fma(Batch a, Batch b, Batch c) { return _mm256_fmadd_ps(a, b, c); }
  static Batch LoadFirst(const std::byte* p, int n) { return _mm256_maskload_ps(Floats(p), FirstMask(n)); }
  static void StoreFirst(std::byte* p, Batch v, int n) { _mm256_maskstore_ps(Floats(p), FirstMask(n), v); }
  // v with zeros past its first n floats.
  static Batch KeepFirst(Batch v, int n) { return _mm256_and_ps(v, _mm256_castsi256_ps(FirstMask(n))); }

 private:
  static __m256i FirstMask(int n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
};

}  // namespace

const Kernels* Avx2Kernels() noexcept {
  static constexpr Kernels kKernels = {LayerNormOver<Avx2Lanes>};
  return &kKernels;
}

}  // namespace normd
