// SPDX-License-Identifier: Apache-2.0
//
// Which way a call goes, as a function of its shape and of the machine. None of it changes a bit.

#ifndef NORMD_REGIME_H_
#define NORMD_REGIME_H_

#include <cstdint>

namespace normd {

// Rows whose last tree steps and statistics are done with one instruction for all.
inline constexpr int kRowsAtOnce = 8;

struct Regime {
  int rows_at_once;  // 1 or kRowsAtOnce
  bool pipelined;    // whether the next rows are measured before these are normalized
};

inline Regime RegimeOf(int64_t hidden) { return {hidden <= 256 ? kRowsAtOnce : 1, hidden <= 1024}; }

}  // namespace normd

#endif  // NORMD_REGIME_H_
