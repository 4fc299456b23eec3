// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "ours.h"

namespace normd::bench {
namespace {

Call Prepare(const Cell& cell, const Buffers& buffers) {
  if (cell.threads != 1) throw Unsupported("memcpy is measured with one thread");
  const size_t bytes = static_cast<size_t>(cell.bytes());
  if (cell.kind != Kind::kResidual) {
    return {[bytes, buffers] { std::memcpy(buffers.y, buffers.x, bytes); }};
  }
  return {[bytes, buffers] {
    std::memcpy(buffers.y, buffers.x, bytes);
    std::memcpy(buffers.sum, buffers.residual, bytes);
  }};
}

}  // namespace

void AddCopy(Contestants& contestants) {
  contestants.push_back(
      {.name = "copy", .part = Part::kFloor, .what = "memcpy of the same bytes", .prepare = Prepare});
}

}  // namespace normd::bench
