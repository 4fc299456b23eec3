// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a safetensors file: refused, or every entry lies inside them.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "safetensors_header.h"

namespace {

bool Holds(std::string_view file) {
  const absl::StatusOr<normd::SafetensorsHeader> header = normd::ParseSafetensorsHeader(file);
  if (!header.ok()) {
    return header.status().message().size() <= 1024;
  }
  const auto data_bytes = static_cast<int64_t>(file.size()) - header->data_begin;
  int64_t total = 0;
  for (const auto& [name, tensor] : header->tensors) {
    if (tensor.begin < 0 || tensor.begin > tensor.end || tensor.end > data_bytes) {
      return false;
    }
    total += tensor.end - tensor.begin;
  }
  return total == data_bytes;
}

// What stands before the first line's end as a header of the right length, which chance alone would rarely
// find.
std::string WithLength(std::string_view bytes) {
  const size_t line = bytes.find('\n');
  const uint64_t length = line == std::string_view::npos ? bytes.size() : line;
  std::string file(sizeof(length), '\0');
  std::memcpy(file.data(), &length, sizeof(length));
  return file.append(bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const std::string_view file(reinterpret_cast<const char*>(bytes), size);
  if (!Holds(file) || !Holds(WithLength(file))) {
    std::abort();
  }
  return 0;
}
