// SPDX-License-Identifier: Apache-2.0
//
// Reads a normd.v1.NormalizeRequest out of the slices it came in, and leaves its payloads there.
//
// It accepts and refuses just what protobuf does: any field order, the last of a repeated single field,
// merged sub-messages, packed and unpacked numbers, unknown fields and groups, valid UTF-8 only (tests/fuzz
// compares the two).
//
// To add a field: give it a number in the .proto, a member in the struct here, a line in its Clear and a case
// in the switch of normalize_request.cc, and a line in tests/wire/to_proto.cc. The differential test makes
// its messages from the .proto, so it fails until all of them agree. A payload belongs into a ByteRange, with
// a high number; a list that takes more memory than its bytes on the wire needs a limit in ReadLimits.

#ifndef NORMD_WIRE_NORMALIZE_REQUEST_H_
#define NORMD_WIRE_NORMALIZE_REQUEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "wire/slices.h"

namespace normd::wire {

// The fields of normd.v1.Parameters. Enums are open: any int32.
struct Parameters {
  int32_t kind = 0;
  std::optional<double> epsilon;
  std::vector<float> gamma;
  std::vector<float> beta;
  float gamma_offset = 0;
  std::vector<float> running_mean;
  std::vector<float> running_var;

  void Clear();  // to the state of a new one, memory kept
};

// The fields of normd.v1.NormalizeRequest.
struct NormalizeRequest {
  std::string layer;
  bool has_parameters = false;
  Parameters parameters;
  std::string request_id;
  int32_t data_type = 0;
  int64_t hidden = 0;
  std::vector<int64_t> token_counts;
  std::vector<int32_t> outputs;
  std::vector<float> values;
  std::vector<float> residual_values;
  std::optional<ByteRange> residual;  // in the message that was read
  std::optional<ByteRange> data;      // in the message that was read

  void Clear();  // to the state of a new one, memory kept
};

// What is refused before memory is taken for it.
struct ReadLimits {
  int64_t max_sequences = int64_t{1} << 20;  // entries of token_counts
  int64_t max_outputs = 64;                  // entries of outputs
};

// Reads `message` into `request`, which is cleared first and can be used again and again.
// Errors: InvalidArgument that says what is malformed and at which byte, or which limit was passed.
absl::Status ReadNormalizeRequest(Slices message, const ReadLimits& limits, NormalizeRequest* request);

}  // namespace normd::wire

#endif  // NORMD_WIRE_NORMALIZE_REQUEST_H_
