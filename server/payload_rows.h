// SPDX-License-Identifier: Apache-2.0
//
// The rows of a payload, one stretch after another, where they lie in a message that is cut anywhere.

#ifndef NORMD_SERVER_PAYLOAD_ROWS_H_
#define NORMD_SERVER_PAYLOAD_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "wire/slices.h"

namespace normd {

// Stands before a stretch: whole rows in one slice, or one row out of several slices, which is gathered.
class PayloadRows {
 public:
  // Goes to the first of the rows of `range`, which must be whole and lie inside the message. What the
  // gathered rows took is used again.
  void Open(wire::Slices message, wire::ByteRange range, int64_t row_bytes);

  // Of the stretch, at any alignment; good until Advance.
  const std::byte* data() const { return data_; }
  int64_t rows() const { return rows_; }  // 0 at the end

  // Goes on by `rows`, at most those of the stretch.
  void Advance(int64_t rows);

 private:
  void FindStretch();
  void Gather();
  void Skip(uint64_t bytes);

  wire::Slices slices_;    // from the present one on
  uint64_t in_slice_ = 0;  // bytes of the first that are behind us
  uint64_t left_ = 0;      // bytes of the payload
  uint64_t row_bytes_ = 0;
  const std::byte* data_ = nullptr;
  int64_t rows_ = 0;
  std::vector<std::byte> gathered_;
};

}  // namespace normd

#endif  // NORMD_SERVER_PAYLOAD_ROWS_H_
