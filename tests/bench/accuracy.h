// SPDX-License-Identifier: Apache-2.0
//
// How far each contestant is from the exact answer on rows that are hard to get right.

#ifndef NORMD_TESTS_BENCH_ACCURACY_H_
#define NORMD_TESTS_BENCH_ACCURACY_H_

#include <string>
#include <vector>

#include "contestant.h"

namespace normd::bench {

struct AccuracyRow {
  std::string name;
  int64_t hidden = 0;
  std::vector<double> worst;  // row-ULP, one a contestant; NaN where it answered NaN, infinity where the
                              // answer is 0 and it said something else
};

struct Accuracy {
  std::vector<std::string> names;  // of the contestants
  std::vector<AccuracyRow> rows;
};

// The worst of 64 rows of each kind, in units of 2^-23 of the row's largest normalized value, against the
// exact reference of the tests. float32, gamma 1, beta 0.
Accuracy MeasureAccuracy(const Contestants& contestants, const std::vector<int64_t>& hidden);

std::string Text(const Accuracy& accuracy);
std::string JsonText(const Accuracy& accuracy);

}  // namespace normd::bench

#endif  // NORMD_TESTS_BENCH_ACCURACY_H_
