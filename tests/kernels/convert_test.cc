// SPDX-License-Identifier: Apache-2.0
//
// Floats to each data type and back, against the tests' own arithmetic.

#include "normd/convert.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "data_types.h"
#include "float_control.h"
#include "harness.h"

namespace normd {
namespace {

constexpr DataType kHalves[] = {DataType::kFloat16, DataType::kBfloat16};
constexpr uint32_t kPatterns = 0x10000;

// Each finite value of the type, and what lies a float32 step beside it and halfway to the next.
std::vector<float> HardFloats(DataType data_type) {
  std::vector<float> floats = {NAN, -NAN, INFINITY, -INFINITY, std::numeric_limits<float>::denorm_min()};
  for (uint32_t pattern = 0; pattern + 1 < kPatterns; ++pattern) {
    const float value = Decode(data_type, pattern);
    const float middle = value + (Decode(data_type, pattern + 1) - value) / 2;
    if (!std::isfinite(middle)) continue;
    for (const float exact : {value, middle})
      for (const float away : {-INFINITY, exact, INFINITY}) floats.push_back(std::nextafter(exact, away));
  }
  return floats;
}

uint32_t Expected(DataType data_type, float value) {
  return std::isnan(value) ? CanonicalNanOf(data_type) : Encode(data_type, value);
}

TEST(ConvertTest, RoundsToNearestUnderEverySettingOfTheCaller) {
  for (const DataType data_type : kHalves) {
    const std::vector<float> floats = HardFloats(data_type);
    std::vector<uint32_t> expected;
    for (const float value : floats) expected.push_back(Expected(data_type, value));
    for (const uint64_t control : FloatControls()) {
      std::vector<std::byte> bytes(floats.size() * 2);
      {
        const ScopedFloatControl scoped(control);
        RoundFloats(floats, data_type, bytes.data());
      }
      EXPECT_EQ(BitsOfBytes(data_type, bytes), expected) << NameOf(data_type) << ", control " << control;
    }
  }
}

TEST(ConvertTest, WidensEachPattern) {
  for (const DataType data_type : kHalves) {
    std::vector<uint32_t> patterns(kPatterns);
    for (uint32_t i = 0; i < kPatterns; ++i) patterns[i] = i;
    const std::vector<std::byte> bytes = BytesOfBits(data_type, patterns);
    std::vector<float> floats(kPatterns);
    WidenToFloats(bytes.data(), data_type, floats);
    for (uint32_t i = 0; i < kPatterns; ++i) {
      const float expected = Decode(data_type, i);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(floats[i])) << i;
      } else {
        EXPECT_EQ(std::bit_cast<uint32_t>(floats[i]), std::bit_cast<uint32_t>(expected)) << i;
      }
    }
  }
}

TEST(ConvertTest, Float32PassesThroughAtAnyAddress) {
  const std::vector<float> floats = {1.5F, -0.0F, std::numeric_limits<float>::denorm_min(), INFINITY};
  std::vector<std::byte> bytes(floats.size() * sizeof(float) + 1);
  RoundFloats(floats, DataType::kFloat32, bytes.data() + 1);
  std::vector<float> back(floats.size());
  WidenToFloats(bytes.data() + 1, DataType::kFloat32, back);
  EXPECT_EQ(back, floats);
}

}  // namespace
}  // namespace normd
