// SPDX-License-Identifier: Apache-2.0
//
// The tests' own idea of the data types, against values that are known.

#include "data_types.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace normd {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Known {
  uint32_t bits;
  float value;
};

void ExpectBothWays(DataType data_type, std::span<const Known> known) {
  for (const auto& [bits, value] : known) {
    EXPECT_EQ(Encode(data_type, value), bits) << value;
    EXPECT_EQ(Decode(data_type, bits), value) << bits;
  }
}

TEST(DataTypesTest, KnownValues) {
  const Known halves[] = {{0x0000, 0},          {0x3C00, 1},         {0xC000, -2},
                          {0x7BFF, 65504},      {0x0400, 0x1p-14F},  {0x03FF, 0x1.FF8p-15F},
                          {0x0001, 0x1p-24F},   {0x7C00, kInfinity}, {0xFC00, -kInfinity},
                          {0x3555, 0.33325195F}};
  ExpectBothWays(DataType::kFloat16, halves);
  const Known brains[] = {{0x0000, 0},           {0x3F80, 1},         {0xC000, -2},
                          {0x7F7F, 0x1.FEp127F}, {0x0080, 0x1p-126F}, {0x0001, 0x1p-133F},
                          {0x7F80, kInfinity},   {0x4049, 3.140625F}};
  ExpectBothWays(DataType::kBfloat16, brains);
}

// Ties go to the even neighbour, also into the denormals, to zero and past the largest.
TEST(DataTypesTest, TiesToEven) {
  const Known halves[] = {
      {0x3C00, 1 + 0x1p-11F}, {0x3C01, 1 + 0x1.004p-11F}, {0x3C02, 1 + 0x1.8p-10F}, {0x0000, 0x1p-25F},
      {0x0001, 0x1.002p-25F}, {0x0002, 0x1.8p-24F},       {0x7BFF, 65519.996F},     {0x7C00, 65520},
      {0x8000, -0x1p-25F},    {0x0400, 0x1.FFCp-15F},     {0x7C00, 1e30F},          {0x0000, 1e-45F}};
  for (const auto& [bits, value] : halves) EXPECT_EQ(Encode(DataType::kFloat16, value), bits) << value;
  const Known brains[] = {{0x3F80, 1 + 0x1p-8F},   {0x3F81, 1 + 0x1.01p-8F},
                          {0x3F82, 1 + 0x1.8p-7F}, {0x0000, 0x1p-134F},
                          {0x0002, 0x1.8p-133F},   {0x7F7F, 0x1.FEFEp127F},
                          {0x7F80, 0x1.FFp127F},   {0x7F80, std::numeric_limits<float>::max()}};
  for (const auto& [bits, value] : brains) EXPECT_EQ(Encode(DataType::kBfloat16, value), bits) << value;
}

TEST(DataTypesTest, EachPatternComesBack) {
  for (const DataType data_type : {DataType::kFloat16, DataType::kBfloat16}) {
    for (uint32_t bits = 0; bits < 0x10000; ++bits)
      EXPECT_EQ(Encode(data_type, Decode(data_type, bits)), bits) << NameOf(data_type);
  }
}

// The ends of each value's interval round to it or to a neighbour, and what lies past them does not.
void ExpectIntervalIsTight(DataType data_type, float value) {
  const Interval interval = RoundsTo(data_type, value);
  const double middle = value;
  const auto inside = [&](double end) { return end + (middle - end) * 0x1p-20; };
  const auto outside = [&](double end) { return end + (end - middle) * 0x1p-20; };
  for (const double end : {interval.low, interval.high}) {
    EXPECT_EQ(RoundTo(data_type, inside(end)), value) << NameOf(data_type);
    EXPECT_NE(RoundTo(data_type, outside(end)), value) << NameOf(data_type);
  }
}

TEST(DataTypesTest, IntervalsAreTight) {
  for (const DataType data_type : {DataType::kFloat16, DataType::kBfloat16}) {
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      const float value = Decode(data_type, bits);
      if (std::isfinite(value)) ExpectIntervalIsTight(data_type, value);
    }
  }
  EXPECT_EQ(RoundsTo(DataType::kFloat16, kInfinity).low, 65520);
  EXPECT_EQ(RoundsTo(DataType::kFloat16, -kInfinity).high, -65520);
  EXPECT_EQ(RoundsTo(DataType::kBfloat16, kInfinity).low, 0x1.FFp127);
}

}  // namespace
}  // namespace normd
