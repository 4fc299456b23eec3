// SPDX-License-Identifier: Apache-2.0
//
// The seam between transports and handlers: a request is views over its bytes, an answer is a place for
// bytes. No type of any transport's is named here.

#ifndef NORMD_SERVER_CALL_H_
#define NORMD_SERVER_CALL_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "wire/slices.h"

namespace normd {

using Clock = std::chrono::steady_clock;

// One request, whole, as the transport holds it.
struct Call {
  wire::Slices message;
  Clock::time_point arrival;                              // when the whole message was here
  Clock::time_point deadline = Clock::time_point::max();  // after which nobody waits
};

// Bytes on their way out. The payload is allocated without being filled and handed over without a copy.
class Answer {
 public:
  void Clear() {
    head_.clear();
    payload_.reset();
    payload_size_ = 0;
  }

  // What goes out first: everything but the payload's own bytes.
  std::string& head() { return head_; }

  // Makes room for a payload of `size` bytes, whose contents are undefined.
  std::byte* Allocate(size_t size) {
    payload_ = std::make_unique_for_overwrite<std::byte[]>(size);
    payload_size_ = size;
    return payload_.get();
  }

  size_t payload_size() const { return payload_size_; }
  std::unique_ptr<std::byte[]> TakePayload() { return std::move(payload_); }

 private:
  std::string head_;
  std::unique_ptr<std::byte[]> payload_;
  size_t payload_size_ = 0;
};

}  // namespace normd

#endif  // NORMD_SERVER_CALL_H_
