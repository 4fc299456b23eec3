// SPDX-License-Identifier: Apache-2.0
//
// NumPy's .npy files of float32 and float16, as far as tokens need them: little-endian, C order, rank 1 to 4,
// versions 1 to 3 of the format (numpy.lib.format).

#ifndef NORMD_NORMCTL_NPY_H_
#define NORMD_NORMCTL_NPY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "normd/types.h"

namespace normd {

struct NpyArray {
  std::vector<int64_t> shape;  // the last dimension is hidden
  std::vector<float> values;
  DataType data_type = DataType::kFloat32;  // of the file; kFloat32 or kFloat16
};

// What stands before the values.
struct NpyPreamble {
  std::vector<int64_t> shape;
  uint64_t values = 0;  // the shape's product
  size_t offset = 0;    // of the first value in the file
  DataType data_type = DataType::kFloat32;
};

// No file's preamble may be longer; NumPy's own are 128 bytes.
inline constexpr size_t kMaxNpyPreamble = 65536;

// Reads the preamble out of the file's first bytes, min(file_size, kMaxNpyPreamble) or more of them.
// Errors: InvalidArgument that names expected and got; a file of another size than its shape says is one.
absl::StatusOr<NpyPreamble> ParseNpyPreamble(std::string_view start, uint64_t file_size);

// Errors: those of ParseNpyPreamble, found before memory is taken for the values; NotFound.
absl::StatusOr<NpyArray> ReadNpy(const std::string& path);

// Version 1, as numpy.save writes it.
std::string NpyHeaderBytes(const std::vector<int64_t>& shape, DataType data_type = DataType::kFloat32);

// Rounds the values to the array's data type.
absl::Status WriteNpy(const std::string& path, const NpyArray& array);

}  // namespace normd

#endif  // NORMD_NORMCTL_NPY_H_
