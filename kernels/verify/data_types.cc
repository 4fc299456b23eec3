// SPDX-License-Identifier: Apache-2.0
#include "data_types.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace normd {
namespace {

constexpr int kFloatFraction = 23;

// By its bits, since the library's way is slow and this is done for each value of each test. From 2^-1022 on.
double PowerOfTwo(int power) { return std::bit_cast<double>(static_cast<uint64_t>(1023 + power) << 52); }
int PowerOf(double value) { return static_cast<int>(std::bit_cast<uint64_t>(value) >> 52 & 0x7FF) - 1023; }

// The largest value that the format holds.
double Largest(const Format& format) {
  return (2 - PowerOfTwo(-format.fraction_bits)) * PowerOfTwo(format.bias());
}

// The power of the distance between neighbours where `value` lies.
int StepPower(const Format& format, double value) {
  return std::max(PowerOf(value), 1 - format.bias()) - format.fraction_bits;
}

// Scaling by a power of two is exact, so that the one rounding is rint's.
template <typename Real>
Real Rounded(const Format& format, Real value) {
  if (!std::isfinite(value)) return value;
  const int step = StepPower(format, static_cast<double>(value));
  const Real rounded = std::rint(value * PowerOfTwo(-step)) * PowerOfTwo(step);
  if (std::fabs(rounded) <= Largest(format)) return rounded;
  return std::copysign(std::numeric_limits<Real>::infinity(), value);
}

uint32_t SignBit(const Format& format, bool negative) { return uint32_t{negative} << (format.bits() - 1); }

uint32_t LargestExponent(const Format& format) {
  return ((1U << format.exponent_bits) - 1) << format.fraction_bits;
}

uint32_t EncodeNan(const Format& format, uint32_t float_bits) {
  const uint32_t fraction = (float_bits & 0x007FFFFF) >> (kFloatFraction - format.fraction_bits);
  const uint32_t quiet = 1U << (format.fraction_bits - 1);
  return LargestExponent(format) | (fraction == 0 ? quiet : fraction);
}

// The bits of a value that the format holds exactly, without its sign.
uint32_t EncodeMagnitude(const Format& format, double magnitude) {
  if (std::isinf(magnitude)) return LargestExponent(format);
  const int step = StepPower(format, magnitude);
  const auto units = static_cast<uint32_t>(magnitude * PowerOfTwo(-step));
  const int lowest_step = 1 - format.bias() - format.fraction_bits;
  // The fraction's carry into the exponent is the leading one that the format does not store.
  return (static_cast<uint32_t>(step - lowest_step) << format.fraction_bits) + units;
}

float DecodeMagnitude(const Format& format, uint32_t bits) {
  const auto exponent = static_cast<int>(bits >> format.fraction_bits);
  const uint32_t fraction = bits & ((1U << format.fraction_bits) - 1);
  const uint32_t units = exponent == 0 ? fraction : fraction + (1U << format.fraction_bits);
  return static_cast<float>(units * PowerOfTwo(std::max(exponent, 1) - format.bias() - format.fraction_bits));
}

// NaN and infinity.
float DecodeSpecial(const Format& format, bool negative, uint32_t bits) {
  const uint32_t fraction = bits & ((1U << format.fraction_bits) - 1);
  return std::bit_cast<float>(uint32_t{negative} << 31 | 0x7F800000U |
                              fraction << (kFloatFraction - format.fraction_bits));
}

}  // namespace

std::string_view NameOf(NormKind kind) {
  if (kind == NormKind::kLayerNorm) return "layer_norm";
  return kind == NormKind::kRmsNorm ? "rms_norm" : "batch_norm";
}

std::string_view NameOf(DataType data_type) {
  if (data_type == DataType::kFloat32) return "f32";
  return data_type == DataType::kFloat16 ? "f16" : "bf16";
}

Format FormatOf(DataType data_type) {
  if (data_type == DataType::kFloat32) return {8, 23};
  return data_type == DataType::kFloat16 ? Format{5, 10} : Format{8, 7};
}

double RoundTo(DataType data_type, double value) { return Rounded(FormatOf(data_type), value); }
long double RoundTo(DataType data_type, long double value) { return Rounded(FormatOf(data_type), value); }

uint32_t Encode(DataType data_type, float value) {
  const auto float_bits = std::bit_cast<uint32_t>(value);
  if (data_type == DataType::kFloat32) return float_bits;
  const Format format = FormatOf(data_type);
  const uint32_t sign = SignBit(format, float_bits >> 31 != 0);
  if (std::isnan(value)) return sign | EncodeNan(format, float_bits);
  return sign | EncodeMagnitude(format, Rounded(format, std::fabs(static_cast<double>(value))));
}

float Decode(DataType data_type, uint32_t bits) {
  if (data_type == DataType::kFloat32) return std::bit_cast<float>(bits);
  const Format format = FormatOf(data_type);
  const uint32_t sign = SignBit(format, true);
  const bool negative = (bits & sign) != 0;
  const uint32_t magnitude = bits & (sign - 1);
  if (magnitude >= LargestExponent(format)) return DecodeSpecial(format, negative, magnitude);
  const float value = DecodeMagnitude(format, magnitude);
  return negative ? -value : value;
}

std::vector<uint32_t> EncodeAll(DataType data_type, std::span<const float> values) {
  std::vector<uint32_t> bits(values.size());
  if (data_type == DataType::kFloat32) {
    if (!values.empty()) std::memcpy(bits.data(), values.data(), values.size_bytes());
    return bits;
  }
  std::ranges::transform(values, bits.begin(), [&](const float& value) { return Encode(data_type, value); });
  return bits;
}

std::vector<float> DecodeAll(DataType data_type, std::span<const uint32_t> bits) {
  std::vector<float> values(bits.size());
  std::ranges::transform(bits, values.begin(), [&](uint32_t one) { return Decode(data_type, one); });
  return values;
}

std::vector<float> RoundAll(DataType data_type, std::span<const float> values) {
  return DecodeAll(data_type, EncodeAll(data_type, values));
}

std::vector<uint32_t> BitsOf(std::span<const float> values) { return EncodeAll(DataType::kFloat32, values); }
std::vector<float> ValuesOf(std::span<const uint32_t> bits) { return DecodeAll(DataType::kFloat32, bits); }

std::vector<std::byte> BytesOfBits(DataType data_type, std::span<const uint32_t> bits) {
  static_assert(std::endian::native == std::endian::little);
  const std::span<const std::byte> wide = std::as_bytes(bits);
  if (data_type == DataType::kFloat32) return {wide.begin(), wide.end()};
  std::vector<std::byte> bytes(bits.size() * 2);
  for (size_t i = 0; i < bits.size(); ++i) std::memcpy(&bytes[i * 2], &wide[i * 4], 2);
  return bytes;
}

std::vector<uint32_t> BitsOfBytes(DataType data_type, std::span<const std::byte> bytes) {
  const size_t size = data_type == DataType::kFloat32 ? 4 : 2;
  std::vector<uint32_t> bits(bytes.size() / size);
  const std::span<std::byte> wide = std::as_writable_bytes(std::span(bits));
  for (size_t i = 0; i < bits.size(); ++i) std::memcpy(&wide[i * 4], &bytes[i * size], size);
  return bits;
}

Interval RoundsTo(DataType data_type, float value) {
  const Format format = FormatOf(data_type);
  const double magnitude = std::fabs(static_cast<double>(value));
  const double beyond = Largest(format) + PowerOfTwo(format.bias() - format.fraction_bits - 1);
  Interval interval = {beyond, std::numeric_limits<double>::infinity()};
  if (!std::isinf(value)) {
    const int step = StepPower(format, magnitude);
    const bool power = magnitude == PowerOfTwo(PowerOf(magnitude)) && PowerOf(magnitude) > 1 - format.bias();
    // Below a power of two the neighbours stand closer.
    interval = {magnitude - PowerOfTwo(step - (power ? 2 : 1)), magnitude + PowerOfTwo(step - 1)};
  }
  return std::signbit(value) ? Interval{-interval.high, -interval.low} : interval;
}

}  // namespace normd
