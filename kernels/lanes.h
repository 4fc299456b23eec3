// SPDX-License-Identifier: Apache-2.0
//
// Lanes over xsimd, and the few things it lacks: a real fma (8.1's is two roundings on avx512f and plain
// avx2), and loads and stores of a register's first n floats. Included by target files only, so that no wide
// instruction reaches code that runs before a target is chosen.

#ifndef NORMD_LANES_H_
#define NORMD_LANES_H_

#include <cstddef>
#include <cstring>
#include <xsimd/xsimd.hpp>

namespace normd {
namespace {

#if defined(__AVX512F__)
using Avx512Batch = xsimd::batch<float, xsimd::avx512f>;

inline __mmask16 FirstMask(int n) { return static_cast<__mmask16>((1U << n) - 1); }
inline Avx512Batch FusedMultiplyAdd(Avx512Batch a, Avx512Batch b, Avx512Batch c) {
  return _mm512_fmadd_ps(a, b, c);
}
inline Avx512Batch LoadFirstOf(const float* p, int n, Avx512Batch) {
  return _mm512_maskz_loadu_ps(FirstMask(n), p);
}
inline void StoreFirstOf(float* p, Avx512Batch v, int n) { _mm512_mask_storeu_ps(p, FirstMask(n), v); }
inline Avx512Batch KeepFirstOf(Avx512Batch v, int n) { return _mm512_maskz_mov_ps(FirstMask(n), v); }

#elif defined(__AVX2__)
using Avx2Batch = xsimd::batch<float, xsimd::avx2>;

inline __m256i FirstMask(int n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
inline Avx2Batch FusedMultiplyAdd(Avx2Batch a, Avx2Batch b, Avx2Batch c) { return _mm256_fmadd_ps(a, b, c); }
inline Avx2Batch LoadFirstOf(const float* p, int n, Avx2Batch) { return _mm256_maskload_ps(p, FirstMask(n)); }
inline void StoreFirstOf(float* p, Avx2Batch v, int n) { _mm256_maskstore_ps(p, FirstMask(n), v); }
inline Avx2Batch KeepFirstOf(Avx2Batch v, int n) {
  return _mm256_and_ps(v, _mm256_castsi256_ps(FirstMask(n)));
}

#elif defined(__aarch64__)
using NeonBatch = xsimd::batch<float, xsimd::neon64>;

inline NeonBatch FusedMultiplyAdd(NeonBatch a, NeonBatch b, NeonBatch c) { return vfmaq_f32(c, a, b); }
inline NeonBatch LoadFirstOf(const float* p, int n, NeonBatch) {
  float first[4] = {};
  std::memcpy(first, p, static_cast<size_t>(n) * sizeof(float));
  return vld1q_f32(first);
}
inline void StoreFirstOf(float* p, NeonBatch v, int n) {
  float first[4];
  vst1q_f32(first, v);
  std::memcpy(p, first, static_cast<size_t>(n) * sizeof(float));
}
inline NeonBatch KeepFirstOf(NeonBatch v, int n) {
  const uint32x4_t index = {0, 1, 2, 3};
  const uint32x4_t keep = vcltq_u32(index, vdupq_n_u32(static_cast<uint32_t>(n)));
  return vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(v), keep));
}
#endif

// The lanes of one architecture. Addresses have any alignment; n is from 1 to kWidth - 1.
template <class Arch>
struct Lanes {
  using Batch = xsimd::batch<float, Arch>;
  static constexpr int kWidth = static_cast<int>(Batch::size);

  static Batch Load(const std::byte* p) { return Batch::load_unaligned(Floats(p)); }
  static void Store(std::byte* p, Batch v) { v.store_unaligned(reinterpret_cast<float*>(p)); }
  static Batch Fma(Batch a, Batch b, Batch c) { return FusedMultiplyAdd(a, b, c); }
  static Batch LoadFirst(const std::byte* p, int n) { return LoadFirstOf(Floats(p), n, Batch(0.0F)); }
  static void StoreFirst(std::byte* p, Batch v, int n) { StoreFirstOf(reinterpret_cast<float*>(p), v, n); }
  // v with zeros past its first n floats.
  static Batch KeepFirst(Batch v, int n) { return KeepFirstOf(v, n); }

 private:
  static const float* Floats(const std::byte* p) { return reinterpret_cast<const float*>(p); }
};

}  // namespace
}  // namespace normd

#endif  // NORMD_LANES_H_
