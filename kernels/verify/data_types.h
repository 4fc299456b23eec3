// SPDX-License-Identifier: Apache-2.0
//
// The data types as the tests know them: by arithmetic on exact values, where the kernels move bits.

#ifndef NORMD_VERIFY_DATA_TYPES_H_
#define NORMD_VERIFY_DATA_TYPES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "normd/norm.h"

namespace normd {

inline constexpr NormKind kEveryKind[] = {NormKind::kLayerNorm, NormKind::kRmsNorm, NormKind::kBatchNorm};
inline constexpr DataType kEveryDataType[] = {DataType::kFloat32, DataType::kFloat16, DataType::kBfloat16};

std::string_view NameOf(NormKind kind);       // "layer_norm"
std::string_view NameOf(DataType data_type);  // "f32"

// A binary floating-point format: 1 sign bit, exponent_bits, fraction_bits.
struct Format {
  int exponent_bits;
  int fraction_bits;

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  int bits() const { return 1 + exponent_bits + fraction_bits; }
};
Format FormatOf(DataType data_type);

// The nearest value of the type, ties to even; infinity from half a step past the largest on. |value| is 0 or
// a normal double.
double RoundTo(DataType data_type, double value);
long double RoundTo(DataType data_type, long double value);

// A value's bits in the type, low ones first, and back. A float that the type lacks is rounded. NaN keeps its
// sign and the upper bits of its fraction, so that every pattern of a type comes back as it was.
uint32_t Encode(DataType data_type, float value);
float Decode(DataType data_type, uint32_t bits);
std::vector<uint32_t> EncodeAll(DataType data_type, std::span<const float> values);
std::vector<float> DecodeAll(DataType data_type, std::span<const uint32_t> bits);
// Each value rounded to the type.
std::vector<float> RoundAll(DataType data_type, std::span<const float> values);

// How values lie in memory.
std::vector<std::byte> BytesOfBits(DataType data_type, std::span<const uint32_t> bits);
std::vector<uint32_t> BitsOfBytes(DataType data_type, std::span<const std::byte> bytes);

// The reals that round to a value of the type, with both ends.
struct Interval {
  double low;
  double high;
};
Interval RoundsTo(DataType data_type, float value);

// The same of float32.
std::vector<uint32_t> BitsOf(std::span<const float> values);
std::vector<float> ValuesOf(std::span<const uint32_t> bits);

}  // namespace normd

#endif  // NORMD_VERIFY_DATA_TYPES_H_
