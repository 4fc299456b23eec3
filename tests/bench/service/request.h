// SPDX-License-Identifier: Apache-2.0
//
// The bytes that every contestant of the service's benchmark sends.

#ifndef NORMD_TESTS_BENCH_SERVICE_REQUEST_H_
#define NORMD_TESTS_BENCH_SERVICE_REQUEST_H_

#include "normd/v1/normalizer.pb.h"
#include "shape.h"

namespace normd::bench {

inline constexpr char kNormalizeMethod[] = "/normd.v1.Normalizer/Normalize";

// A batch of one sequence for the built-in layer_norm, the same at each call.
v1::NormalizeRequest MakeRequest(const Shape& shape);

}  // namespace normd::bench

#endif  // NORMD_TESTS_BENCH_SERVICE_REQUEST_H_
