// SPDX-License-Identifier: Apache-2.0
//
// Whether a contestant computes what it is timed for.

#ifndef NORMD_TESTS_BENCH_ANSWER_H_
#define NORMD_TESTS_BENCH_ANSWER_H_

#include "contestant.h"

namespace normd::bench {

// Runs the call, and throws where its first or last row is off by more than its type's rounding explains.
void CheckAnswer(const Call& call, const Cell& cell, const Buffers& buffers);

}  // namespace normd::bench

#endif  // NORMD_TESTS_BENCH_ANSWER_H_
