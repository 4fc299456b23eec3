// SPDX-License-Identifier: Apache-2.0
//
// Instructions of one call, counted by callgrind: a figure that comes out the same on a noisy machine.

#ifndef NORMD_TESTS_BENCH_INSTRUCTIONS_H_
#define NORMD_TESTS_BENCH_INSTRUCTIONS_H_

#include <vector>

#include "contestant.h"

namespace normd::bench {

// Runs each contestant once in each cell, after calls that warm it up, and has callgrind write what it
// counted in that one call, named "ROWSxHIDDEN|CONTESTANT|PART". Throws where this does not run under
// callgrind.
void CountInstructions(const Contestants& contestants, const std::vector<Cell>& cells);

}  // namespace normd::bench

#endif  // NORMD_TESTS_BENCH_INSTRUCTIONS_H_
