// SPDX-License-Identifier: Apache-2.0

#include "safetensors.h"

#include <bit>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace normd {
namespace {

// The bytes of a tensor have any alignment: headers need not be filled up to a multiple of it.
template <typename Bits, typename Convert>
std::vector<float> Decode(std::string_view bytes, Convert convert) {
  std::vector<float> values(bytes.size() / sizeof(Bits));
  for (size_t i = 0; i < values.size(); ++i) {
    Bits bits;
    std::memcpy(&bits, bytes.data() + i * sizeof(Bits), sizeof(Bits));
    values[i] = convert(bits);
  }
  return values;
}

}  // namespace

float FloatOfF16(uint16_t bits) noexcept {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000U) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1FU;
  const uint32_t fraction = bits & 0x3FFU;
  if (exponent == 0) {
    // A multiple of 2^-24, which is a normal float32: nothing here that flush-to-zero could take away.
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude) | sign);
  }
  // The exponents' biases are 127 and 15; infinity and NaN have the highest exponent in both.
  const uint32_t wide = exponent == 31 ? 255 : exponent + (127 - 15);
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

float FloatOfBf16(uint16_t bits) noexcept { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

bool IsFloatDtype(std::string_view dtype) noexcept {
  return dtype == "F32" || dtype == "F16" || dtype == "BF16";
}

SafetensorsFile::SafetensorsFile(std::string path, MappedFile file, SafetensorsHeader header)
    : path_(std::move(path)), file_(std::move(file)), header_(std::move(header)) {}

absl::StatusOr<SafetensorsFile> SafetensorsFile::Open(const std::string& path) {
  absl::StatusOr<MappedFile> file = MappedFile::Open(path);
  if (!file.ok()) {
    return file.status();
  }
  absl::StatusOr<SafetensorsHeader> header = ParseSafetensorsHeader(file->bytes());
  if (!header.ok()) {
    return absl::Status(header.status().code(), absl::StrCat(Quoted(path), ": ", header.status().message()));
  }
  return SafetensorsFile(path, *std::move(file), *std::move(header));
}

absl::StatusOr<std::vector<float>> SafetensorsFile::ReadFloats(std::string_view name) const {
  const auto entry = header_.tensors.find(name);
  if (entry == header_.tensors.end()) {
    return absl::NotFoundError(absl::StrCat(Quoted(path_), ": no tensor ", Quoted(name)));
  }
  const TensorEntry& tensor = entry->second;
  const std::string_view bytes = file_.bytes().substr(static_cast<size_t>(header_.data_begin + tensor.begin),
                                                      static_cast<size_t>(tensor.end - tensor.begin));
  if (tensor.dtype == "F32") {
    return Decode<float>(bytes, [](float value) { return value; });
  }
  if (tensor.dtype == "F16") {
    return Decode<uint16_t>(bytes, FloatOfF16);
  }
  if (tensor.dtype == "BF16") {
    return Decode<uint16_t>(bytes, FloatOfBf16);
  }
  return absl::InvalidArgumentError(absl::StrCat(Quoted(path_), ": tensor ", Quoted(name),
                                                 ": expected F32, F16 or BF16, got ", Quoted(tensor.dtype)));
}

}  // namespace normd
