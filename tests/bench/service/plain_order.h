// SPDX-License-Identifier: Apache-2.0
//
// What the benchmark tells bench_plain to do as a client, over its standard input. It stands in a process of
// its own because it is linked with gRPC's shared libraries.

#ifndef NORMD_TESTS_BENCH_SERVICE_PLAIN_ORDER_H_
#define NORMD_TESTS_BENCH_SERVICE_PLAIN_ORDER_H_

#include <cstdint>

#include "shape.h"

namespace normd::bench {

struct PlainOrder {
  Shape shape;
  int64_t calls = 0;
  // 0: one call after the other; answered by the nanoseconds of each, as uint64_t. Else as many threads with
  // a call each, answered by the nanoseconds that all of the calls together took.
  int64_t in_flight = 0;
};

}  // namespace normd::bench

#endif  // NORMD_TESTS_BENCH_SERVICE_PLAIN_ORDER_H_
