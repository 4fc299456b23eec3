// SPDX-License-Identifier: Apache-2.0
//
// The floating-point control register of the calling thread, as a service's other code may have set it.

#ifndef NORMD_TESTS_KERNELS_FLOAT_CONTROL_H_
#define NORMD_TESTS_KERNELS_FLOAT_CONTROL_H_

#include <cstdint>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace normd {

#if defined(__x86_64__)
inline constexpr uint64_t kFloatControls = 0xFFC0;  // MXCSR without the flags of what happened so far

inline uint64_t ReadFloatControl() { return _mm_getcsr() & kFloatControls; }
inline void WriteFloatControl(uint64_t value) { _mm_setcsr(static_cast<uint32_t>(value)); }

// Every rounding mode with every combination of flush-to-zero (bit 15) and denormals-are-zero (bit 6), and
// one that traps on all but inexact results.
inline std::vector<uint64_t> FloatControls() {
  constexpr uint64_t kMasked = 0x1F80;
  std::vector<uint64_t> all = {0x1000};
  for (uint64_t rounding = 0; rounding < 4; ++rounding) {
    for (const uint64_t flush : {0x0000, 0x8000, 0x0040, 0x8040})
      all.push_back(kMasked | rounding << 13 | flush);
  }
  return all;
}
#elif defined(__aarch64__)
inline uint64_t ReadFloatControl() {
  uint64_t value;
  asm volatile("mrs %0, fpcr" : "=r"(value));
  return value;
}
inline void WriteFloatControl(uint64_t value) { asm volatile("msr fpcr, %0" : : "r"(value) : "memory"); }

// Every rounding mode with flush-to-zero (bit 24) and default-NaN (bit 25).
inline std::vector<uint64_t> FloatControls() {
  std::vector<uint64_t> all;
  for (uint64_t rounding = 0; rounding < 4; ++rounding) {
    for (uint64_t flush = 0; flush < 4; ++flush) all.push_back(rounding << 22 | flush << 24);
  }
  return all;
}
#endif

// Sets the register while it lives.
class ScopedFloatControl {
 public:
  explicit ScopedFloatControl(uint64_t value) : saved_(ReadFloatControl()) { WriteFloatControl(value); }
  ~ScopedFloatControl() { WriteFloatControl(saved_); }
  ScopedFloatControl(const ScopedFloatControl&) = delete;
  ScopedFloatControl& operator=(const ScopedFloatControl&) = delete;

 private:
  uint64_t saved_;
};

}  // namespace normd

#endif  // NORMD_TESTS_KERNELS_FLOAT_CONTROL_H_
