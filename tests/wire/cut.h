// SPDX-License-Identifier: Apache-2.0
//
// A message cut into slices.

#ifndef NORMD_TESTS_WIRE_CUT_H_
#define NORMD_TESTS_WIRE_CUT_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "random.h"
#include "wire/slices.h"

namespace normd {

// Each slice has memory of its own, and of no more than its length, so that a read past a slice's end finds
// neither the right bytes nor, under AddressSanitizer, any.
class CutMessage {
 public:
  // Slices of the lengths given, in order, and one of what is left.
  CutMessage(std::string_view bytes, const std::vector<size_t>& lengths);
  CutMessage(CutMessage&&) = default;  // a copy's slices would lie in the original

  wire::Slices slices() const { return views_; }

 private:
  void Add(std::string_view slice);

  std::vector<std::vector<char>> memory_;
  std::vector<std::string_view> views_;
};

// The whole, a few slices, or slices of a few bytes; empty ones among them.
CutMessage CutAtRandom(std::string_view bytes, Random* random);

}  // namespace normd

#endif  // NORMD_TESTS_WIRE_CUT_H_
