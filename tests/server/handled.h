// SPDX-License-Identifier: Apache-2.0
//
// What the handler of Normalize makes of a message, for tests.

#ifndef NORMD_TESTS_SERVER_HANDLED_H_
#define NORMD_TESTS_SERVER_HANDLED_H_

#include <string>
#include <utility>
#include <vector>

#include "normalize.h"
#include "normd/v1/normalizer.pb.h"

namespace normd {

// The bytes of an answer, as a transport sends them.
inline std::string TakeBytes(Answer* answer) {
  const auto bytes = [](const AnswerPayload& payload) {
    return std::string(reinterpret_cast<const char*>(payload.bytes.get()), payload.size);
  };
  return answer->head + bytes(answer->residual_sum) + answer->between + bytes(answer->normalized);
}

inline absl::StatusOr<v1::NormalizeResponse> HandleSlices(NormalizeHandler* handler, wire::Slices message) {
  Answer answer;
  Call call;
  call.message = message;
  call.arrival = Clock::now();
  if (auto status = handler->Handle(call, Framing::kUnary, &answer); !status.ok()) return status;
  v1::NormalizeResponse response;
  if (!response.ParseFromString(TakeBytes(&answer))) return absl::InternalError("the answer does not parse");
  return response;
}

inline absl::StatusOr<v1::NormalizeResponse> Handle(NormalizeHandler* handler,
                                                    const v1::NormalizeRequest& request) {
  const std::string bytes = request.SerializeAsString();
  const std::string_view slice = bytes;
  return HandleSlices(handler, {&slice, 1});
}

inline std::string BytesOf(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

// A request of the built-in layer with `data`.
inline v1::NormalizeRequest RequestOf(const std::vector<float>& tokens, int64_t hidden,
                                      const std::vector<int64_t>& token_counts = {}) {
  v1::NormalizeRequest request;
  request.set_layer("layer_norm");
  request.set_hidden(hidden);
  request.mutable_token_counts()->Add(token_counts.begin(), token_counts.end());
  request.set_data(BytesOf(tokens));
  return request;
}

}  // namespace normd

#endif  // NORMD_TESTS_SERVER_HANDLED_H_
