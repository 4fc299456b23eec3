// SPDX-License-Identifier: Apache-2.0
//
// What our readers read, as protobuf's messages: the form in which the two are compared.

#ifndef NORMD_TESTS_WIRE_TO_PROTO_H_
#define NORMD_TESTS_WIRE_TO_PROTO_H_

#include "normd/v1/normalizer.pb.h"
#include "wire/normalize_request.h"
#include "wire/normalize_response.h"
#include "wire/slices.h"

namespace normd {

// Payloads are copied out of `message`, which is what was read.
v1::NormalizeRequest ToProto(const wire::NormalizeRequest& request, wire::Slices message);
v1::NormalizeResponse ToProto(const wire::NormalizeResponse& response, wire::Slices message);
v1::NormalizeStreamResponse ToProto(const wire::NormalizeStreamResponse& response, wire::Slices message);

}  // namespace normd

#endif  // NORMD_TESTS_WIRE_TO_PROTO_H_
