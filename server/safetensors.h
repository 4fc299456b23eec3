// SPDX-License-Identifier: Apache-2.0
//
// Reads values out of a safetensors file, which is mapped: only the tensors that are asked for are read.

#ifndef NORMD_SERVER_SAFETENSORS_H_
#define NORMD_SERVER_SAFETENSORS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "checkpoint_file.h"
#include "safetensors_header.h"

namespace normd {

// The value of an IEEE binary16, exactly; of a NaN its payload as well.
float FloatOfF16(uint16_t bits) noexcept;

// The value of a bfloat16, exactly.
float FloatOfBf16(uint16_t bits) noexcept;

// Whether the values of this dtype can be had as floats: F32, F16 and BF16.
bool IsFloatDtype(std::string_view dtype) noexcept;

class SafetensorsFile {
 public:
  // Errors name the file: those of MappedFile::Open and of ParseSafetensorsHeader.
  static absl::StatusOr<SafetensorsFile> Open(const std::string& path);

  const std::map<std::string, TensorEntry, std::less<>>& tensors() const { return header_.tensors; }
  const std::map<std::string, std::string, std::less<>>& metadata() const { return header_.metadata; }

  // The values of a tensor, row-major. F16 and BF16 become float32 without rounding.
  // Errors: NotFound for a name that is not in the file, InvalidArgument for another dtype; both name file
  // and tensor.
  absl::StatusOr<std::vector<float>> ReadFloats(std::string_view name) const;

 private:
  SafetensorsFile(std::string path, MappedFile file, SafetensorsHeader header);

  std::string path_;
  MappedFile file_;
  SafetensorsHeader header_;
};

}  // namespace normd

#endif  // NORMD_SERVER_SAFETENSORS_H_
