// SPDX-License-Identifier: Apache-2.0
//
// Writes and reads normd.v1.NormalizeResponse around a payload that is not copied.
//
// A written answer is a head, encoded here, followed by the payload's own bytes: `data` (or `values`) comes
// last, and behind `residual_sum` (or `residual_sum_values`) where there is one.

#ifndef NORMD_WIRE_NORMALIZE_RESPONSE_H_
#define NORMD_WIRE_NORMALIZE_RESPONSE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "wire/slices.h"

namespace normd::wire {

struct Timings {
  uint64_t queue_ns = 0;
  uint64_t compute_ns = 0;
  uint64_t total_ns = 0;
};

// The field of the answer that a payload stands in. A list of float32 in its packed form is encoded as bytes
// are.
enum class Payload : int { kNone = 0, kValues = 8, kResidualSumValues = 9, kResidualSum = 14, kData = 15 };

// What comes before the payloads.
struct ResponseHead {
  std::string_view request_id;
  int32_t data_type = 0;
  int64_t hidden = 0;
  std::span<const int64_t> token_counts;
  Timings timings;
  std::span<const float> mean;
  std::span<const float> rstd;
  Payload residual_sum = Payload::kNone;
  uint64_t residual_sum_size = 0;  // bytes
  Payload payload = Payload::kNone;
  uint64_t payload_size = 0;  // bytes
};

// Appends what stands before the bytes of the first payload there is, which must follow.
void AppendResponseHead(const ResponseHead& head, std::string* out);

// Appends what stands between the bytes of residual_sum and those of the payload: nothing where not both are.
void AppendBetween(const ResponseHead& head, std::string* out);

// The same, wrapped as the `result` of a NormalizeStreamResponse.
void AppendStreamResponseHead(const ResponseHead& head, std::string* out);

// Appends a NormalizeStreamResponse that carries an error.
void AppendStreamError(int code, std::string_view message, std::string_view request_id, std::string* out);

// The fields of normd.v1.NormalizeResponse.
struct NormalizeResponse {
  std::string request_id;
  int32_t data_type = 0;
  int64_t hidden = 0;
  std::vector<int64_t> token_counts;
  Timings timings;
  std::vector<float> mean;
  std::vector<float> rstd;
  std::vector<float> values;
  std::vector<float> residual_sum_values;
  std::optional<ByteRange> residual_sum;  // in the message that was read
  std::optional<ByteRange> data;          // in the message that was read

  void Clear();  // to the state of a new one, memory kept
};

// Which of the two a NormalizeStreamResponse carries, by field number; kNone is for neither.
enum class Answer : int { kNone = 0, kError = 1, kResult = 15 };

// The fields of normd.v1.NormalizeStreamResponse: a result, or an error where `error_code` is not 0.
struct NormalizeStreamResponse {
  Answer answer = Answer::kNone;
  NormalizeResponse result;
  int32_t error_code = 0;
  std::string error_message;
  std::string error_request_id;

  void Clear();  // to the state of a new one, memory kept
};

// Errors: InvalidArgument that says what is malformed and at which byte.
absl::Status ReadNormalizeResponse(Slices message, NormalizeResponse* response);
absl::Status ReadNormalizeStreamResponse(Slices message, NormalizeStreamResponse* response);

}  // namespace normd::wire

#endif  // NORMD_WIRE_NORMALIZE_RESPONSE_H_
