// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "lanes.h"
#include "norm_kernel.h"
#include "x86_folded.h"

namespace normd {
namespace {

struct Avx2Lanes : Lanes<xsimd::avx2>, X86Folded {
  static constexpr int kBlockRows = 4;  // rows whose numbers fit in the registers
  // Stores past the caches are seen by whoever sees what is stored after this.
  static void FenceStores() { _mm_sfence(); }
  static Batch Fma(Batch a, Batch b, Batch c) { return _mm256_fmadd_ps(a, b, c); }
  static bool AllZero(Batch v) {
    return _mm256_movemask_ps(_mm256_cmp_ps(v, _mm256_setzero_ps(), _CMP_NEQ_UQ)) == 0;
  }
  // The first `live` lanes of a, then those of b; live may have any size.
  static Batch Select(int64_t live, Batch a, Batch b) {
    return _mm256_blendv_ps(b, a, _mm256_castsi256_ps(LiveMask(live)));
  }

  // Halving steps 16 and 8.
  static Folded Fold(const Batch (&lanes)[4]) { return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]); }
  static void AddTo(Folded folded, double (&lanes)[8]) {
    AddFour(_mm256_castps256_ps128(folded), lanes);
    AddFour(_mm256_extractf128_ps(folded, 1), lanes + 4);
  }

  struct Float32 : Float32Io<Batch> {
    static Batch LoadLive(const std::byte* p, int64_t live, Batch fill) {
      return Select(live, _mm256_maskload_ps(Floats(p), LiveMask(live)), fill);
    }
    static void StoreFirst(std::byte* p, Batch v, int n) { _mm256_maskstore_ps(Floats(p), LiveMask(n), v); }
    static void StoreStreaming(std::byte* p, Batch v) { _mm256_stream_ps(Floats(p), v); }
  };

  // 16-bit values, 128 bits of them to a register of floats.
  template <class Codec>
  struct HalfIo {
    static constexpr int64_t kBytes = 2;
    static Batch Load(const std::byte* p) { return Codec::Decode(_mm_loadu_si128(Halves(p))); }
    static Batch LoadLive(const std::byte* p, int64_t live, Batch fill) {
      __m128i first = _mm_setzero_si128();
      if (live > 0) std::memcpy(&first, p, static_cast<size_t>(live < kWidth ? live : kWidth) * kBytes);
      return Select(live, Codec::Decode(first), fill);
    }
    static void Store(std::byte* p, Batch v) { _mm_storeu_si128(Halves(p), Codec::Encode(v)); }
    static void StoreFirst(std::byte* p, Batch v, int n) {
      const __m128i all = Codec::Encode(v);
      std::memcpy(p, &all, static_cast<size_t>(n) * kBytes);
    }
    static void StoreStreaming(std::byte* p, Batch v) { _mm_stream_si128(Halves(p), Codec::Encode(v)); }
  };

  struct Float16Codec {
    static Batch Decode(__m128i halves) { return _mm256_cvtph_ps(halves); }
    static __m128i Encode(Batch v) {
      return _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    }
  };
  struct Bfloat16Codec {
    static Batch Decode(__m128i halves) {
      return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16));
    }
    // To nearest, ties to even: half a unit less one is added, and one more where the kept part is odd.
    static __m128i Encode(Batch v) {
      const __m256i bits = _mm256_castps_si256(v);
      const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
      const __m256i rounded = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7FFF)), odd);
      const __m256i kept = _mm256_srli_epi32(rounded, 16);
      return _mm_packus_epi32(_mm256_castsi256_si128(kept), _mm256_extracti128_si256(kept, 1));
    }
  };
  struct Float16 : HalfIo<Float16Codec> {
    static constexpr int kType = 1;
  };
  struct Bfloat16 : HalfIo<Bfloat16Codec> {
    static constexpr int kType = 2;
  };

 private:
  static const __m128i* Halves(const std::byte* p) { return reinterpret_cast<const __m128i*>(p); }
  static __m128i* Halves(std::byte* p) { return reinterpret_cast<__m128i*>(p); }
  static void AddFour(__m128 four, double* lanes) {
    _mm256_storeu_pd(lanes, _mm256_add_pd(_mm256_loadu_pd(lanes), _mm256_cvtps_pd(four)));
  }
  static __m256i LiveMask(int64_t live) {
    const int clamped = static_cast<int>(live < 0 ? 0 : (live > kWidth ? kWidth : live));
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(clamped), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
};

}  // namespace

const Kernels* Avx2Kernels() noexcept {
  static constexpr Kernels kKernels = KernelsOver<Avx2Lanes>();
  return &kKernels;
}

}  // namespace normd
