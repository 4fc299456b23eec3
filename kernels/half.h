// SPDX-License-Identifier: Apache-2.0
//
// Values as they are stored, one at a time: for the scalar target and for the rescue. Included by files that
// are compiled for the baseline alone.

#ifndef NORMD_HALF_H_
#define NORMD_HALF_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace normd {
namespace {

template <class T>
T LoadAs(const std::byte* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

template <class T>
void StoreAs(std::byte* p, T value) {
  std::memcpy(p, &value, sizeof value);
}

// IEEE binary16, by the compiler's name for it.
#if defined(__aarch64__)
using Half = __fp16;
#else
using Half = _Float16;
#endif

struct Float32 {
  static constexpr int64_t kBytes = 4;
  static constexpr uint32_t kNan = 0x7FC00000;
  static float Load(const std::byte* p) { return LoadAs<float>(p); }
  static void Store(std::byte* p, float value) { StoreAs(p, value); }
};

struct Float16 {
  static constexpr int64_t kBytes = 2;
  static constexpr uint16_t kNan = 0x7E00;
  static float Load(const std::byte* p) { return static_cast<float>(LoadAs<Half>(p)); }
  static void Store(std::byte* p, float value) { StoreAs(p, static_cast<Half>(value)); }
};

struct Bfloat16 {
  static constexpr int64_t kBytes = 2;
  static constexpr uint16_t kNan = 0x7FC0;
  static float Load(const std::byte* p) { return std::bit_cast<float>(uint32_t{LoadAs<uint16_t>(p)} << 16); }
  // To nearest, ties to even. A NaN must have no bit set among its lower 16.
  static void Store(std::byte* p, float value) {
    const auto bits = std::bit_cast<uint32_t>(value);
    StoreAs(p, static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16));
  }
};

}  // namespace
}  // namespace normd

#endif  // NORMD_HALF_H_
