// SPDX-License-Identifier: Apache-2.0
#include "to_grpc.h"

#include <string>
#include <utility>

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

grpc::Slice TakeSlice(AnswerPayload* payload) {
  if (payload->size == 0) return {};
  return {payload->bytes.release(), payload->size, [](void* p) { delete[] static_cast<std::byte*>(p); }};
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
  grpc::Slice slices[4] = {grpc::Slice(answer->head)};
  size_t count = 1;
  const auto append = [&](grpc::Slice slice) {
    if (slice.size() > 0) slices[count++] = std::move(slice);
  };
  append(TakeSlice(&answer->residual_sum));
  append(grpc::Slice(answer->between));
  append(TakeSlice(&answer->normalized));
  return {slices, count};
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
