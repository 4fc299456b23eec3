// SPDX-License-Identifier: Apache-2.0
#include "to_grpc.h"

#include <google/protobuf/any.pb.h>
#include <google/protobuf/duration.pb.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "admission.h"

namespace normd {
namespace {

constexpr size_t kMaxStatusText = 1024;
constexpr int64_t kSecondsOfADay = 86400;

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

// One field of the wire format with `bytes` in it.
std::string Field(int number, const std::string& bytes) {
  std::string field;
  google::protobuf::io::StringOutputStream stream(&field);
  google::protobuf::io::CodedOutputStream out(&stream);
  out.WriteTag(static_cast<uint32_t>(number << 3 | 2));
  out.WriteVarint32(static_cast<uint32_t>(bytes.size()));
  out.WriteString(bytes);
  out.Trim();
  return field;
}

// A google.rpc.Status (code = 1, message = 2, details = 3) with a google.rpc.RetryInfo (retry_delay = 1): two
// messages that protobuf itself does not come with.
std::string RetryDetails(const absl::Status& status, const std::string& text) {
  google::protobuf::Duration delay;
  delay.set_nanos(static_cast<int32_t>(std::chrono::nanoseconds(kRetryAfter).count()));
  google::protobuf::Any info;
  info.set_type_url("type.googleapis.com/google.rpc.RetryInfo");
  info.set_value(Field(1, delay.SerializeAsString()));
  const std::string code = {1 << 3, static_cast<char>(status.code())};
  return code + Field(2, text) + Field(3, info.SerializeAsString());
}

}  // namespace

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  // The canonical codes have the same numbers in both.
  const auto code = static_cast<grpc::StatusCode>(status.code());
  std::string text = Cut(std::string(status.message()));
  if (absl::IsResourceExhausted(status)) return {code, text, RetryDetails(status, text)};
  return {code, text};
}

Clock::time_point ToClock(gpr_timespec deadline, Clock::time_point now) {
  // A call without a deadline has one at the end of time.
  if (gpr_time_cmp(deadline, gpr_inf_future(deadline.clock_type)) == 0) return Clock::time_point::max();
  const gpr_timespec left = gpr_time_sub(deadline, gpr_now(deadline.clock_type));
  // A day is soon enough to be asked again, and no sum of it overflows.
  const int64_t seconds = std::clamp<int64_t>(left.tv_sec, -kSecondsOfADay, kSecondsOfADay);
  return now + std::chrono::seconds(seconds) + std::chrono::nanoseconds(left.tv_nsec);
}

void ToByteBuffer(Answer* answer, grpc::ByteBuffer* buffer) {
  grpc::Slice slices[4] = {grpc::Slice(answer->head)};
  size_t count = 1;
  const auto append = [&](grpc::Slice slice) {
    if (slice.size() > 0) slices[count++] = std::move(slice);
  };
  append(TakeSlice(&answer->residual_sum));
  append(grpc::Slice(answer->between));
  append(TakeSlice(&answer->normalized));
  grpc::ByteBuffer made(slices, count);
  buffer->Swap(&made);  // an assignment would copy
}

wire::Slices MessageSlices::View(const grpc::ByteBuffer& buffer) {
  slices_.resize(1);
  views_.clear();
  if (!buffer.TrySingleSlice(slices_.data()).ok() && !buffer.Dump(&slices_).ok()) return {};
  for (const grpc::Slice& slice : slices_) {
    views_.emplace_back(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return views_;
}

}  // namespace normd
