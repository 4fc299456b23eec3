// SPDX-License-Identifier: Apache-2.0
//
// A message as the transport holds it: one or many slices of bytes, cut anywhere.

#ifndef NORMD_WIRE_SLICES_H_
#define NORMD_WIRE_SLICES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace normd::wire {

// The slices of one message, in order. They are views: whoever made them keeps the bytes alive.
using Slices = std::span<const std::string_view>;

// The bytes [offset, offset + size) of a message.
struct ByteRange {
  uint64_t offset = 0;
  uint64_t size = 0;
};

// Copies `range`, which must lie inside the message, to `to`.
void CopyBytes(Slices message, ByteRange range, void* to);

}  // namespace normd::wire

#endif  // NORMD_WIRE_SLICES_H_
