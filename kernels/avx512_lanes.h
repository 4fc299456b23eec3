// SPDX-License-Identifier: Apache-2.0
#ifndef NORMD_AVX512_LANES_H_
#define NORMD_AVX512_LANES_H_

#include <cstdint>

#include "lanes.h"
#include "x86_folded.h"

namespace normd {
namespace {

struct Avx512Lanes : Lanes<xsimd::avx512f>, X86Folded {
  static Batch Fma(Batch a, Batch b, Batch c) { return _mm512_fmadd_ps(a, b, c); }
  static bool AllZero(Batch v) { return _mm512_cmpneq_ps_mask(v, _mm512_setzero_ps()) == 0; }
  // The first `live` lanes of a, then those of b; live may have any size.
  static Batch Select(int64_t live, Batch a, Batch b) { return _mm512_mask_mov_ps(b, LiveMask(live), a); }

  static Folded Fold(const Batch (&lanes)[2]) {
    return _mm256_add_ps(_mm512_castps512_ps256(lanes[0]), _mm512_extractf32x8_ps(lanes[0], 1));
  }
  static void AddTo(Folded folded, double (&lanes)[8]) {
    _mm512_storeu_pd(lanes, _mm512_add_pd(_mm512_loadu_pd(lanes), _mm512_cvtps_pd(folded)));
  }

  struct Float32 : Float32Io<Batch> {
    static Batch LoadLive(const std::byte* p, int64_t live, Batch fill) {
      return _mm512_mask_loadu_ps(fill, LiveMask(live), p);
    }
    static void StoreFirst(std::byte* p, Batch v, int n) { _mm512_mask_storeu_ps(p, LiveMask(n), v); }
    static void StoreStreaming(std::byte* p, Batch v) { _mm512_stream_ps(Floats(p), v); }
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
    static Batch Round(Batch v) { return Codec::Decode(Codec::Encode(v)); }
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
