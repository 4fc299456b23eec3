// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a .npy file: refused with a text of bounded length, or the values end where the file does.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "npy.h"

namespace {

bool Holds(std::string_view file) {
  const absl::StatusOr<normd::NpyPreamble> preamble = normd::ParseNpyPreamble(file, file.size());
  if (!preamble.ok()) return preamble.status().message().size() <= 1024;
  uint64_t values = 1;
  for (const int64_t dimension : preamble->shape) {
    if (dimension < 0) return false;
    values *= static_cast<uint64_t>(dimension);
  }
  const auto bytes = values * static_cast<uint64_t>(normd::BytesOf(preamble->data_type));
  return values == preamble->values && preamble->offset + bytes == file.size();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (!Holds({reinterpret_cast<const char*>(data), size})) std::abort();
  return 0;
}
