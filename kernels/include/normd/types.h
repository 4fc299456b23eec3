// SPDX-License-Identifier: Apache-2.0
//
// The kinds of norms and the types of values, numbered as in normd.v1. Kernels and clients share them.

#ifndef NORMD_TYPES_H_
#define NORMD_TYPES_H_

#include <cstdint>

namespace normd {

enum class NormKind : int32_t { kLayerNorm = 1, kRmsNorm = 2, kBatchNorm = 3 };

// How values are stored: IEEE binary32, IEEE binary16, the upper half of a binary32.
enum class DataType : int32_t { kFloat32 = 1, kFloat16 = 2, kBfloat16 = 3 };

// Bytes of a value; 0 where it is no data type.
constexpr int64_t BytesOf(DataType data_type) {
  if (data_type == DataType::kFloat32) return 4;
  return data_type == DataType::kFloat16 || data_type == DataType::kBfloat16 ? 2 : 0;
}

}  // namespace normd

#endif  // NORMD_TYPES_H_
