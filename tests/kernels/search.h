// SPDX-License-Identifier: Apache-2.0
//
// The search for the worst row: random restarts and hill climbing, seeded and bounded.

#ifndef NORMD_TESTS_KERNELS_SEARCH_H_
#define NORMD_TESTS_KERNELS_SEARCH_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "normd/norm.h"
#include "normd/target.h"
#include "shapes.h"

namespace normd {

// What is searched.
struct Subject {
  const Target* target = nullptr;
  NormKind kind = NormKind::kLayerNorm;  // not batch_norm, which adds nothing up
  DataType data_type = DataType::kFloat32;
};

struct SearchOptions {
  Subject subject = {};
  int64_t max_hidden = 16384;
  uint64_t seed = 1;
  std::function<bool(int64_t elements)> done;  // asked before each climb, with the elements normalized so far
};

struct Found {
  Shape shape;
  double row_ulp = -1;
};

struct SearchReport {
  std::vector<Found> worst;  // one a family
  int64_t rows = 0;
  int64_t elements = 0;

  Found Worst() const;
};

// How far it is off on this row, rounded to the data type, in strict row-ULP. 16 bits hide almost all of an
// error, and leave nothing to climb on: there the same values as float32 count as well.
double Measure(const Subject& subject, const Shape& shape);

SearchReport Search(const SearchOptions& options);

}  // namespace normd

#endif  // NORMD_TESTS_KERNELS_SEARCH_H_
