// SPDX-License-Identifier: Apache-2.0
//
// Random numbers that are the same with every standard library, which its distributions are not.

#ifndef NORMD_TESTS_WIRE_RANDOM_H_
#define NORMD_TESTS_WIRE_RANDOM_H_

#include <cstdint>
#include <random>

namespace normd {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  uint64_t Bits() { return engine_(); }
  // From 0 to `count` - 1. The tiny bias of the remainder does not matter here.
  uint64_t Below(uint64_t count) { return engine_() % count; }
  bool OneIn(uint64_t count) { return Below(count) == 0; }
  // Small numbers as often as large ones.
  uint64_t AnyMagnitude() { return engine_() >> Below(64); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace normd

#endif  // NORMD_TESTS_WIRE_RANDOM_H_
