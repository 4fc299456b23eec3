// SPDX-License-Identifier: Apache-2.0
//
// The memory of a cell, filled with rows from a normal distribution.

#ifndef NORMD_TESTS_BENCH_MEMORY_H_
#define NORMD_TESTS_BENCH_MEMORY_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "contestant.h"

namespace normd::bench {

// Rounded to nearest, ties to even.
uint16_t ToBfloat16(float value);
uint16_t ToFloat16(float value);
float FromBfloat16(uint16_t bits);
float FromFloat16(uint16_t bits);

// Writes `values` in the type to `to`; and back.
void Store(Type type, std::span<const float> values, void* to);
std::vector<float> Load(Type type, const void* from, int64_t count);

// One block of huge pages where the system has them, for everyone alike. x, residual, y and sum start 1 KiB
// apart within a page, so that no load falls on the page offset of a store just made.
class Memory {
 public:
  // Room for x, y and the parameters of the largest cell, and for residual and sum where `residual` is set.
  Memory(int64_t largest_bytes, int64_t largest_rows, int64_t largest_hidden, bool residual);
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();

  // The cell's buffers, filled anew.
  Buffers Fill(const Cell& cell);

 private:
  char* Take(int64_t bytes);

  char* block_;
  int64_t size_;
  int64_t taken_ = 0;
  Buffers buffers_;
};

}  // namespace normd::bench

#endif  // NORMD_TESTS_BENCH_MEMORY_H_
