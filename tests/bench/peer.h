// SPDX-License-Identifier: Apache-2.0
//
// What a peer's shared object includes: it defines normd_bench_peer and exports nothing else.

#ifndef NORMD_TESTS_BENCH_PEER_H_
#define NORMD_TESTS_BENCH_PEER_H_

#include "contestant.h"

extern "C" __attribute__((visibility("default"))) void normd_bench_peer(
    normd::bench::Contestants& contestants);

#endif  // NORMD_TESTS_BENCH_PEER_H_
