// SPDX-License-Identifier: Apache-2.0
#ifndef NORMD_TESTS_BENCH_SERVICE_SHAPE_H_
#define NORMD_TESTS_BENCH_SERVICE_SHAPE_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace normd::bench {

// Of a batch of float32.
struct Shape {
  int64_t rows = 1;
  int64_t hidden = 1;

  int64_t values() const { return rows * hidden; }
  size_t bytes() const { return static_cast<size_t>(values()) * sizeof(float); }
  std::string Text() const { return std::to_string(rows) + "x" + std::to_string(hidden); }
  bool operator==(const Shape&) const = default;
};

}  // namespace normd::bench

#endif  // NORMD_TESTS_BENCH_SERVICE_SHAPE_H_
