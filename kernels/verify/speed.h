// SPDX-License-Identifier: Apache-2.0
//
// A short look at the targets' speed. What is measured with care is measured by bench_kernels.

#ifndef NORMD_VERIFY_SPEED_H_
#define NORMD_VERIFY_SPEED_H_

#include <cstdint>
#include <span>
#include <vector>

#include "normd/target.h"

namespace normd {

// Nanoseconds of one call, medians over rounds in which each takes its turn.
struct Speed {
  int64_t rows = 0;
  int64_t hidden = 0;
  double copy_ns = 0;              // memcpy of the same bytes
  std::vector<double> targets_ns;  // layer_norm with gamma and beta, in the targets' order
};

// float32, on one thread; a fraction of a second.
Speed MeasureSpeed(std::span<const Target* const> targets, int64_t rows, int64_t hidden);

}  // namespace normd

#endif  // NORMD_VERIFY_SPEED_H_
