// SPDX-License-Identifier: Apache-2.0
//
// The header of a safetensors file: which tensors it holds, and where.
//
//   8 bytes        length of the header, little-endian
//   header         a JSON object: {"NAME": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...,
//                  "__metadata__": {"KEY": "TEXT", ...}}, filled up with spaces
//   data           the tensors, back to back; the offsets count from its start
//
// Source: the format's description at https://github.com/huggingface/safetensors. What its reference reader
// refuses is refused here: gaps and overlaps between tensors, bytes after the last one, a header over 100 MB.

#ifndef NORMD_SERVER_SAFETENSORS_HEADER_H_
#define NORMD_SERVER_SAFETENSORS_HEADER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace normd {

struct TensorEntry {
  std::string dtype;           // as written: "F32", "BF16", or one that this reader does not know
  std::vector<int64_t> shape;  // none: a single value
  int64_t begin = 0;           // first byte, from the start of the data
  int64_t end = 0;             // one past the last byte
};

struct SafetensorsHeader {
  std::map<std::string, TensorEntry, std::less<>> tensors;
  std::map<std::string, std::string, std::less<>> metadata;
  int64_t data_begin = 0;  // where the data starts in the file
};

// Reads the header of `file`, which holds the bytes of a whole file. Every entry that comes back lies inside
// the file, and is as long as its shape and dtype say. Errors: InvalidArgument that names the tensor,
// expected and got.
absl::StatusOr<SafetensorsHeader> ParseSafetensorsHeader(std::string_view file);

}  // namespace normd

#endif  // NORMD_SERVER_SAFETENSORS_HEADER_H_
