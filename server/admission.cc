// SPDX-License-Identifier: Apache-2.0
#include "admission.h"

#include "absl/strings/str_cat.h"

namespace normd {

absl::Status Admission::Enter(int64_t bytes) {
  const int64_t requests = requests_.fetch_add(1, std::memory_order_relaxed) + 1;
  const int64_t all_bytes = bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (requests <= max_requests_ && all_bytes <= max_bytes_) return absl::OkStatus();
  Leave(bytes);
  if (requests > max_requests_) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the server has its limit of ", max_requests_,
                     " requests in flight (--max-requests-in-flight); try again"));
  }
  return absl::ResourceExhaustedError(
      absl::StrCat("expected at most ", max_bytes_, " bytes in flight (--max-bytes-in-flight), got ",
                   all_bytes, " with the ", bytes, " that this request needs; try again"));
}

void Admission::Leave(int64_t bytes) {
  requests_.fetch_sub(1, std::memory_order_relaxed);
  bytes_.fetch_sub(bytes, std::memory_order_relaxed);
}

}  // namespace normd
