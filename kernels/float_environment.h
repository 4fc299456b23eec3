// SPDX-License-Identifier: Apache-2.0
#ifndef NORMD_FLOAT_ENVIRONMENT_H_
#define NORMD_FLOAT_ENVIRONMENT_H_

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace normd {

// While it lives, the calling thread rounds to nearest even, keeps denormals and traps nothing, whatever it
// was set to; then its own setting is back. <cfenv> does not reach flush-to-zero, and writing the register
// costs tens of cycles, so it is written only where it differs.
class FloatEnvironment {
 public:
  FloatEnvironment() noexcept : saved_(Read()), changed_((saved_ & kControls) != kDefault) {
    if (changed_) Write(kDefault);
  }
  ~FloatEnvironment() {
    if (changed_) Write(saved_);
  }
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

 private:
#if defined(__x86_64__)
  using Register = uint32_t;
  static constexpr Register kControls = 0xFFC0;  // MXCSR without its sticky exception flags
  static constexpr Register kDefault = 0x1F80;   // all exceptions masked, nothing else
  static Register Read() noexcept { return _mm_getcsr(); }
  static void Write(Register value) noexcept { _mm_setcsr(value); }
#elif defined(__aarch64__)
  using Register = uint64_t;
  static constexpr Register kControls = ~Register{0};  // FPCR holds controls alone
  static constexpr Register kDefault = 0;
  static Register Read() noexcept {
    Register value;
    asm volatile("mrs %0, fpcr" : "=r"(value));
    return value;
  }
  static void Write(Register value) noexcept { asm volatile("msr fpcr, %0" : : "r"(value) : "memory"); }
#else
#error "this processor's floating-point control register is not known here"
#endif

  Register saved_;
  bool changed_;
};

}  // namespace normd

#endif  // NORMD_FLOAT_ENVIRONMENT_H_
