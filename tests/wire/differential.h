// SPDX-License-Identifier: Apache-2.0
//
// Our readers against protobuf's own parser, for one message.

#ifndef NORMD_TESTS_WIRE_DIFFERENTIAL_H_
#define NORMD_TESTS_WIRE_DIFFERENTIAL_H_

#include <google/protobuf/descriptor.h>

#include <array>
#include <string>
#include <string_view>

#include "normd/v1/normalizer.pb.h"
#include "wire/normalize_request.h"
#include "wire/normalize_response.h"
#include "wire/slices.h"

namespace normd {

struct Verdict {
  bool accepted = false;   // by protobuf
  std::string difference;  // empty where both say the same
};

// It keeps what it reads into from one message to the next, as the server does: what a message leaves behind
// in there would show in the next one.
class Differential {
 public:
  static constexpr size_t kTypes = 3;

  // The request, the response and the stream's response.
  static std::array<const google::protobuf::Descriptor*, kTypes> Types();

  Differential();

  // Reads `slices`, which hold `bytes`, as the message type of that index with both parsers, and compares
  // whether they accept it and every field, floats by their bits.
  Verdict Compare(size_t type, std::string_view bytes, wire::Slices slices);

 private:
  wire::NormalizeRequest request_;
  wire::NormalizeResponse response_;
  wire::NormalizeStreamResponse stream_response_;
};

}  // namespace normd

#endif  // NORMD_TESTS_WIRE_DIFFERENTIAL_H_
