// SPDX-License-Identifier: Apache-2.0
#include "to_grpc.h"

#include <string>

namespace normd {
namespace {

constexpr size_t kMaxStatusText = 1024;

// Cut before the first byte of a character, so that what is left is still UTF-8.
std::string Cut(std::string text) {
  if (text.size() <= kMaxStatusText) return text;
  size_t end = kMaxStatusText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  text.resize(end);
  return text;
}

}  // namespace

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  // The canonical codes have the same numbers in both.
  return {static_cast<grpc::StatusCode>(status.code()), Cut(std::string(status.message()))};
}

Clock::time_point ToClock(std::chrono::system_clock::time_point deadline, Clock::time_point now) {
  // A call without a deadline has one at the end of time, which a subtraction would overflow.
  constexpr auto kNever = std::chrono::hours(24 * 365);
  const auto system_now = std::chrono::system_clock::now();
  if (deadline > system_now + kNever) return Clock::time_point::max();
  return now + std::chrono::duration_cast<Clock::duration>(deadline - system_now);
}

grpc::ByteBuffer ToByteBuffer(Answer* answer) {
  grpc::Slice slices[2] = {grpc::Slice(answer->head())};
  const size_t size = answer->payload_size();
  if (size == 0) return {slices, 1};
  std::byte* bytes = answer->TakePayload().release();
  slices[1] = grpc::Slice(bytes, size, [](void* p) { delete[] static_cast<std::byte*>(p); });
  return {slices, 2};
}

wire::Slices MessageSlices::View(const grpc::ByteBuffer& buffer) {
  slices_.clear();
  views_.clear();
  if (!buffer.Dump(&slices_).ok()) return {};
  for (const grpc::Slice& slice : slices_) {
    views_.emplace_back(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return views_;
}

}  // namespace normd
