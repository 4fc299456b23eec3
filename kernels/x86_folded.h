// SPDX-License-Identifier: Apache-2.0
//
// The 8 lanes that AVX2 and AVX-512 fold a row to: one register of 8 floats.

#ifndef NORMD_X86_FOLDED_H_
#define NORMD_X86_FOLDED_H_

#include <immintrin.h>

namespace normd {
namespace {

struct X86Folded {
  using Folded = __m256;

  // The last halving steps, 4, 2, 1, of R rows, which share the registers of each step.
  template <int R>
  static void TreeSums(const Folded (&rows)[R], float (&sums)[R]) {
    static_assert(R == 1 || R == 2 || R == 8);
    if constexpr (R == 1) {
      sums[0] = TreeSum(rows[0]);
    } else if constexpr (R == 2) {
      const __m256 fours = Halve4(rows[0], rows[1]);
      const __m256 sum = Halve1(_mm256_add_ps(fours, _mm256_permute_ps(fours, _MM_SHUFFLE(3, 2, 3, 2))));
      sums[0] = _mm256_cvtss_f32(sum);
      sums[1] = _mm_cvtss_f32(_mm256_extractf128_ps(sum, 1));
    } else {
      const __m256 low = Halve2(Halve4(rows[0], rows[1]), Halve4(rows[2], rows[3]));
      const __m256 high = Halve2(Halve4(rows[4], rows[5]), Halve4(rows[6], rows[7]));
      // Rows 0, 2, 4, 6 and 1, 3, 5, 7.
      const __m256 halves = _mm256_add_ps(_mm256_shuffle_ps(low, high, _MM_SHUFFLE(2, 0, 2, 0)),
                                          _mm256_shuffle_ps(low, high, _MM_SHUFFLE(3, 1, 3, 1)));
      _mm256_storeu_ps(sums, _mm256_permutevar8x32_ps(halves, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));
    }
  }

 private:
  static float TreeSum(__m256 row) {
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(row), _mm256_extractf128_ps(row, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
  }

  static __m256 Halve1(__m256 v) { return _mm256_add_ps(v, _mm256_movehdup_ps(v)); }

  // Step 4 of two rows: a's four lanes, then b's.
  static __m256 Halve4(__m256 a, __m256 b) {
    return _mm256_add_ps(_mm256_permute2f128_ps(a, b, 0x20), _mm256_permute2f128_ps(a, b, 0x31));
  }

  // Step 2 of four rows, a, b in ab and c, d in cd: a's two lanes, c's, b's, d's.
  static __m256 Halve2(__m256 ab, __m256 cd) {
    return _mm256_add_ps(_mm256_shuffle_ps(ab, cd, _MM_SHUFFLE(1, 0, 1, 0)),
                         _mm256_shuffle_ps(ab, cd, _MM_SHUFFLE(3, 2, 3, 2)));
  }
};

}  // namespace
}  // namespace normd

#endif  // NORMD_X86_FOLDED_H_
