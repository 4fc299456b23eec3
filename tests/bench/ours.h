// SPDX-License-Identifier: Apache-2.0
//
// The contestants that need no peer: normd's own kernels, and memcpy as the floor.

#ifndef NORMD_TESTS_BENCH_OURS_H_
#define NORMD_TESTS_BENCH_OURS_H_

#include "contestant.h"

namespace normd::bench {

// "ours", as a default process chooses, and one contestant a target of this CPU.
void AddOurs(Contestants& contestants);

// memcpy of what is read to where it is written, by as many threads as the cell has.
void AddCopy(Contestants& contestants);

}  // namespace normd::bench

#endif  // NORMD_TESTS_BENCH_OURS_H_
