// SPDX-License-Identifier: Apache-2.0
//
// The JSON text of a safetensors header, as entries whose numbers nobody has checked yet.

#ifndef NORMD_SERVER_SAFETENSORS_JSON_H_
#define NORMD_SERVER_SAFETENSORS_JSON_H_

#include <string_view>

#include "absl/status/status.h"
#include "safetensors_header.h"

namespace normd {

// Fills `tensors` and `metadata` of `header`.
// Errors: InvalidArgument for text that is not JSON, or not of the header's form: a name that stands twice, a
// key that is missing or unknown, a value of another type, a number that is negative or no 64-bit integer.
absl::Status ReadHeaderJson(std::string_view text, SafetensorsHeader& header);

}  // namespace normd

#endif  // NORMD_SERVER_SAFETENSORS_JSON_H_
