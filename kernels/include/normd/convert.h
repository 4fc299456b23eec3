// SPDX-License-Identifier: Apache-2.0
//
// Floats as values of a data type, and back.

#ifndef NORMD_CONVERT_H_
#define NORMD_CONVERT_H_

#include <span>

#include "normd/types.h"

namespace normd {

// Rounds each float to the nearest value of the type, ties to even, under any rounding mode of the caller's;
// a NaN becomes the quiet one that Norm writes. `to` has room for as many values, at any alignment.
void RoundFloats(std::span<const float> from, DataType data_type, void* to);

// Exact. `from` holds as many values as `to`, at any alignment.
void WidenToFloats(const void* from, DataType data_type, std::span<float> to);

}  // namespace normd

#endif  // NORMD_CONVERT_H_
