// SPDX-License-Identifier: Apache-2.0
//
// What a prototype of the kernels' design, without the flush into double, came to against the best of the
// same peers on a Zen 4: a goal, from another machine.

#ifndef NORMD_TESTS_BENCH_LAB_H_
#define NORMD_TESTS_BENCH_LAB_H_

#include <optional>

#include "contestant.h"

namespace normd::bench {

// Best peer / ours, where the laboratory measured the cell.
std::optional<double> LabRatio(const Cell& cell);

}  // namespace normd::bench

#endif  // NORMD_TESTS_BENCH_LAB_H_
