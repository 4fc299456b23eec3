// SPDX-License-Identifier: Apache-2.0
#include "payload_rows.h"

#include <algorithm>
#include <string_view>

namespace normd {

void PayloadRows::Open(wire::Slices message, wire::ByteRange range, int64_t row_bytes) {
  slices_ = message;
  in_slice_ = 0;
  left_ = range.size;
  row_bytes_ = static_cast<uint64_t>(row_bytes);
  Skip(range.offset);
  FindStretch();
}

void PayloadRows::Advance(int64_t rows) {
  const uint64_t bytes = static_cast<uint64_t>(rows) * row_bytes_;
  left_ -= bytes;
  Skip(bytes);
  FindStretch();
}

void PayloadRows::Skip(uint64_t bytes) {
  in_slice_ += bytes;
  while (!slices_.empty() && in_slice_ >= slices_.front().size()) {
    in_slice_ -= slices_.front().size();
    slices_ = slices_.subspan(1);
  }
}

void PayloadRows::FindStretch() {
  rows_ = 0;
  if (left_ == 0) return;
  const std::string_view here = slices_.front().substr(in_slice_);
  rows_ = static_cast<int64_t>(std::min<uint64_t>(here.size(), left_) / row_bytes_);
  data_ = reinterpret_cast<const std::byte*>(here.data());
  if (rows_ == 0) Gather();
}

void PayloadRows::Gather() {
  gathered_.resize(row_bytes_);
  wire::CopyBytes(slices_, {in_slice_, row_bytes_}, gathered_.data());
  data_ = gathered_.data();
  rows_ = 1;
}

}  // namespace normd
