// SPDX-License-Identifier: Apache-2.0
//
// The seam between transports and handlers: a request is views over its bytes, an answer is a place for
// bytes. No type of any transport's is named here.

#ifndef NORMD_SERVER_CALL_H_
#define NORMD_SERVER_CALL_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "wire/slices.h"

namespace normd {

using Clock = std::chrono::steady_clock;

// One request, whole, as the transport holds it.
struct Call {
  wire::Slices message;
  Clock::time_point arrival;                              // when the whole message was here
  Clock::time_point deadline = Clock::time_point::max();  // after which nobody waits
  const std::atomic<bool>* cancelled = nullptr;           // set, by any thread, once nobody waits
  int tasks = 1;                                          // that may compute it at once
};

// Bytes of an answer that are allocated without being filled and handed over without a copy.
struct AnswerPayload {
  std::unique_ptr<std::byte[]> bytes;
  size_t size = 0;

  std::byte* Allocate(size_t new_size) {
    bytes = std::make_unique_for_overwrite<std::byte[]>(new_size);
    size = new_size;
    return bytes.get();
  }
};

// Bytes on their way out, in this order. Where there is but one payload, `between` is empty.
struct Answer {
  std::string head;
  AnswerPayload residual_sum;
  std::string between;
  AnswerPayload normalized;

  void Clear() {
    head.clear();
    residual_sum = {};
    between.clear();
    normalized = {};
  }
};

}  // namespace normd

#endif  // NORMD_SERVER_CALL_H_
