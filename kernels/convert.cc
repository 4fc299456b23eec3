// SPDX-License-Identifier: Apache-2.0
#include "normd/convert.h"

#include <cmath>
#include <cstddef>
#include <limits>

#include "float_environment.h"
#include "half.h"

namespace normd {
namespace {

template <class Type>
void Round(std::span<const float> from, std::byte* to) {
  for (const float value : from) {
    Type::Store(to, std::isnan(value) ? std::numeric_limits<float>::quiet_NaN() : value);
    to += Type::kBytes;
  }
}

template <class Type>
void Widen(const std::byte* from, std::span<float> to) {
  for (float& value : to) {
    value = Type::Load(from);
    from += Type::kBytes;
  }
}

}  // namespace

void RoundFloats(std::span<const float> from, DataType data_type, void* to) {
  const FloatEnvironment environment;
  auto* bytes = static_cast<std::byte*>(to);
  if (data_type == DataType::kFloat16) return Round<Float16>(from, bytes);
  if (data_type == DataType::kBfloat16) return Round<Bfloat16>(from, bytes);
  Round<Float32>(from, bytes);
}

void WidenToFloats(const void* from, DataType data_type, std::span<float> to) {
  const FloatEnvironment environment;
  const auto* bytes = static_cast<const std::byte*>(from);
  if (data_type == DataType::kFloat16) return Widen<Float16>(bytes, to);
  if (data_type == DataType::kBfloat16) return Widen<Bfloat16>(bytes, to);
  Widen<Float32>(bytes, to);
}

}  // namespace normd
