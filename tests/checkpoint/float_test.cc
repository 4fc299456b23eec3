// SPDX-License-Identifier: Apache-2.0
//
// Every F16 and every BF16 value becomes the float32 it stands for.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "safetensors.h"

namespace normd {
namespace {

// The value by the formats' definition: sign, then fraction and exponent by ldexp.
float Reference(uint32_t bits, int exponent_bits, int fraction_bits) {
  const int highest = (1 << exponent_bits) - 1;
  const int bias = highest / 2;
  const uint32_t fraction = bits & ((1U << fraction_bits) - 1);
  const int exponent = static_cast<int>(bits >> fraction_bits) & highest;
  const bool negative = (bits >> (exponent_bits + fraction_bits)) != 0;
  double magnitude = 0;
  if (exponent == highest) {
    magnitude =
        fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(fraction, 1 - bias - fraction_bits);
  } else {
    magnitude = std::ldexp(fraction + (1U << fraction_bits), exponent - bias - fraction_bits);
  }
  return static_cast<float>(negative ? -magnitude : magnitude);
}

void ExpectSame(float expected, float got, uint32_t bits) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(got)) << std::hex << bits;
    EXPECT_EQ(std::signbit(got), (bits & 0x8000U) != 0) << std::hex << bits;
  } else {
    EXPECT_EQ(std::bit_cast<uint32_t>(expected), std::bit_cast<uint32_t>(got)) << std::hex << bits;
  }
}

TEST(FloatOfF16, IsExactForEveryValue) {
  for (uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    ExpectSame(Reference(bits, 5, 10), FloatOfF16(static_cast<uint16_t>(bits)), bits);
  }
}

TEST(FloatOfF16, KeepsTheSmallestAndTheLargest) {
  EXPECT_EQ(FloatOfF16(0x0001), 0x1p-24F);
  EXPECT_EQ(FloatOfF16(0x03FF), 1023 * 0x1p-24F);
  EXPECT_EQ(FloatOfF16(0x7BFF), 65504.0F);
  EXPECT_EQ(std::bit_cast<uint32_t>(FloatOfF16(0x7E01)), 0x7FC02000U) << "the payload of a NaN";
}

TEST(FloatOfBf16, IsExactForEveryValue) {
  for (uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    ExpectSame(Reference(bits, 8, 7), FloatOfBf16(static_cast<uint16_t>(bits)), bits);
  }
}

}  // namespace
}  // namespace normd
