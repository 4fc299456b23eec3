// SPDX-License-Identifier: Apache-2.0
#ifndef NORMD_AVX512_LANES_H_
#define NORMD_AVX512_LANES_H_

#include <cstdint>

#include "lanes.h"

namespace normd {
namespace {

struct Avx512Lanes : Lanes<xsimd::avx512f> {
  using Folded = __m512;                // 16 lanes: step 8 is part of TreeSums
  static constexpr int kBlockRows = 8;  // rows whose numbers fit in the registers
  // Stores past the caches are seen by whoever sees what is stored after this.
  static void FenceStores() { _mm_sfence(); }
  static Batch Fma(Batch a, Batch b, Batch c) { return _mm512_fmadd_ps(a, b, c); }
  static bool AllZero(Batch v) { return _mm512_cmpneq_ps_mask(v, _mm512_setzero_ps()) == 0; }
  // The first `live` lanes of a, then those of b; live may have any size.
  static Batch Select(int64_t live, Batch a, Batch b) { return _mm512_mask_mov_ps(b, LiveMask(live), a); }

  static Folded Fold(const Batch (&lanes)[2]) { return lanes[0] + lanes[1]; }
  static void AddTo(Folded folded, double (&lanes)[8]) {
    _mm512_storeu_pd(lanes, _mm512_add_pd(_mm512_loadu_pd(lanes), _mm512_cvtps_pd(Halve(folded))));
  }

  // The last halving steps, 8, 4, 2, 1, of R rows, which share the registers of each step.
  template <int R>
  static void TreeSums(const Folded (&rows)[R], float (&sums)[R]) {
    static_assert(R == 1 || R == 2 || R == 8);
    if constexpr (R == 1) {
      sums[0] = TreeSum(Halve(rows[0]));
    } else if constexpr (R == 2) {
      const __m512 eights = Halve8(rows[0], rows[1]);
      const __m512 sum = Halve1(Halve2(_mm512_add_ps(eights, _mm512_shuffle_f32x4(eights, eights, 0xB1))));
      sums[0] = _mm512_cvtss_f32(sum);
      sums[1] = _mm_cvtss_f32(_mm512_extractf32x4_ps(sum, 2));
    } else {
      const __m512 low = Halve4(Halve8(rows[0], rows[1]), Halve8(rows[2], rows[3]));
      const __m512 high = Halve4(Halve8(rows[4], rows[5]), Halve8(rows[6], rows[7]));
      // Lanes 0 and 1 of rows 0 and 4, then of 1 and 5, 2 and 6, 3 and 7.
      const __m512 pairs = _mm512_add_ps(_mm512_shuffle_ps(low, high, _MM_SHUFFLE(1, 0, 1, 0)),
                                         _mm512_shuffle_ps(low, high, _MM_SHUFFLE(3, 2, 3, 2)));
      _mm256_storeu_ps(sums, _mm512_castps512_ps256(_mm512_permutexvar_ps(EveryFourth(), Halve1(pairs))));
    }
  }

  struct Float32 : Float32Io<Batch> {
    static Batch LoadLive(const std::byte* p, int64_t live, Batch fill) {
      return _mm512_mask_loadu_ps(fill, LiveMask(live), p);
    }
    static void StoreFirst(std::byte* p, Batch v, int n) { _mm512_mask_storeu_ps(p, LiveMask(n), v); }
    static void StoreStreaming(std::byte* p, Batch v) {
      _mm256_stream_ps(Floats(p), _mm512_castps512_ps256(v));
      _mm256_stream_ps(Floats(p) + 8, _mm512_extractf32x8_ps(v, 1));
    }
  };

  // 16-bit values, 256 bits of them to a register of floats.
  template <class Codec>
  struct HalfIo {
    static constexpr int64_t kBytes = 2;
    static Batch Load(const std::byte* p) { return Codec::Decode(_mm256_loadu_si256(Halves(p))); }
    static Batch LoadLive(const std::byte* p, int64_t live, Batch fill) {
      return Select(live, Codec::Decode(_mm256_maskz_loadu_epi16(LiveMask(live), p)), fill);
    }
    static void Store(std::byte* p, Batch v) { _mm256_storeu_si256(Halves(p), Codec::Encode(v)); }
    static void StoreFirst(std::byte* p, Batch v, int n) {
      _mm256_mask_storeu_epi16(p, LiveMask(n), Codec::Encode(v));
    }
    static void StoreStreaming(std::byte* p, Batch v) { _mm256_stream_si256(Halves(p), Codec::Encode(v)); }
  };

  struct Float16Codec {
    static Batch Decode(__m256i halves) { return _mm512_cvtph_ps(halves); }
    static __m256i Encode(Batch v) {
      return _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    }
  };
  struct Bfloat16Codec {
    static Batch Decode(__m256i halves) {
      return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16));
    }
    // To nearest, ties to even: half a unit less one is added, and one more where the kept part is odd.
    static __m256i Encode(Batch v) {
      const __m512i bits = _mm512_castps_si512(v);
      const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
      const __m512i rounded = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7FFF)), odd);
      return _mm512_cvtepi32_epi16(_mm512_srli_epi32(rounded, 16));
    }
  };
  struct Float16 : HalfIo<Float16Codec> {
    static constexpr int kType = 1;
  };
  struct Bfloat16 : HalfIo<Bfloat16Codec> {
    static constexpr int kType = 2;
  };

 private:
  static __m256 Halve(__m512 row) {
    return _mm256_add_ps(_mm512_castps512_ps256(row), _mm512_extractf32x8_ps(row, 1));
  }
  static float TreeSum(__m256 row) {
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(row), _mm256_extractf128_ps(row, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
  }
  // Steps 2 and 1 within each four lanes; the result is in the first of them.
  static __m512 Halve2(__m512 v) { return _mm512_add_ps(v, _mm512_permute_ps(v, _MM_SHUFFLE(3, 2, 3, 2))); }
  static __m512 Halve1(__m512 v) { return _mm512_add_ps(v, _mm512_movehdup_ps(v)); }
  // Lanes 0, 4, 8, 12, then 2, 6, 10, 14.
  static __m512i EveryFourth() {
    return _mm512_setr_epi32(0, 4, 8, 12, 2, 6, 10, 14, 0, 0, 0, 0, 0, 0, 0, 0);
  }
  // Step 8 of two rows: a's eight lanes, then b's.
  static __m512 Halve8(__m512 a, __m512 b) {
    return _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x44), _mm512_shuffle_f32x4(a, b, 0xEE));
  }
  // Step 4 of four rows: the four lanes of a, b, c, d.
  static __m512 Halve4(__m512 ab, __m512 cd) {
    return _mm512_add_ps(_mm512_shuffle_f32x4(ab, cd, 0x88), _mm512_shuffle_f32x4(ab, cd, 0xDD));
  }
  static const __m256i* Halves(const std::byte* p) { return reinterpret_cast<const __m256i*>(p); }
  static __m256i* Halves(std::byte* p) { return reinterpret_cast<__m256i*>(p); }
  static __mmask16 LiveMask(int64_t live) {
    const int64_t clamped = live < 0 ? 0 : (live > kWidth ? kWidth : live);
    return static_cast<__mmask16>((1U << clamped) - 1);
  }
};

}  // namespace
}  // namespace normd

#endif  // NORMD_AVX512_LANES_H_
