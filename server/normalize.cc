// SPDX-License-Identifier: Apache-2.0
#include "normalize.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "wire/utf8.h"

namespace normd {
namespace {

uint64_t NanosecondsSince(Clock::time_point start, Clock::time_point end) {
  return static_cast<uint64_t>(std::max<int64_t>(0, std::chrono::nanoseconds(end - start).count()));
}

// Calls `run(bytes, first, rows)` for each stretch of whole rows of `range` that lies in one piece, in order;
// a row that straddles slices is gathered into `straddling` first. Stops at the first error.
template <class Run>
absl::Status ForEachStretch(wire::Slices message, wire::ByteRange range, uint64_t row_bytes,
                            std::vector<std::byte>* straddling, Run run) {
  uint64_t begin = 0;  // of the slice, in the message
  uint64_t at = range.offset;
  const uint64_t end = range.offset + range.size;
  for (const std::string_view slice : message) {
    const uint64_t slice_end = begin + slice.size();
    while (at < end && at < slice_end && at >= begin) {
      const uint64_t whole = (std::min(slice_end, end) - at) / row_bytes;
      const char* bytes = slice.data() + (at - begin);
      const int64_t first = static_cast<int64_t>((at - range.offset) / row_bytes);
      if (whole == 0) {
        straddling->resize(row_bytes);
        wire::CopyBytes(message, {at, row_bytes}, straddling->data());
        bytes = reinterpret_cast<const char*>(straddling->data());
      }
      const uint64_t rows = std::max<uint64_t>(whole, 1);
      if (auto status = run(bytes, first, static_cast<int64_t>(rows)); !status.ok()) return status;
      at += rows * row_bytes;
    }
    begin = slice_end;
  }
  return absl::OkStatus();
}

// An id that is refused for its length or its bytes is not sent back: the client could not read the error.
std::string_view IdToEcho(std::string_view id) {
  const bool fits = id.size() <= static_cast<size_t>(kMaxRequestIdBytes) && wire::IsUtf8(id);
  return fits ? id : std::string_view();
}

}  // namespace

absl::Status NormalizeHandler::RunRows(const Norm& norm, const void* x, int64_t first, int64_t rows,
                                       std::byte* y) {
  NormOperands operands;
  operands.rows = rows;
  operands.x.data = x;
  operands.y.data = y;
  if (batch_.wants_mean) operands.mean = mean_.data() + first;
  if (batch_.wants_rstd) operands.rstd = rstd_.data() + first;
  return norm.Run(operands);
}

absl::Status NormalizeHandler::ComputeRows(const Call& call, const Norm& norm, std::byte* y) {
  mean_.resize(batch_.wants_mean ? static_cast<size_t>(batch_.rows) : 0);
  rstd_.resize(batch_.wants_rstd ? static_cast<size_t>(batch_.rows) : 0);
  if (batch_.typed) return RunRows(norm, request_.values.data(), 0, batch_.rows, y);
  if (batch_.rows == 0) return absl::OkStatus();
  return ForEachStretch(call.message, *request_.data, static_cast<uint64_t>(batch_.row_bytes()), &straddling_,
                        [&](const void* x, int64_t first, int64_t rows) {
                          return RunRows(norm, x, first, rows, y + first * batch_.row_bytes());
                        });
}

absl::Status NormalizeHandler::Compute(const Call& call, Answer* answer) {
  const Clock::time_point start = Clock::now();
  if (start >= call.deadline) return absl::DeadlineExceededError("the deadline passed before the work began");
  if (auto status = wire::ReadNormalizeRequest(call.message, {}, &request_); !status.ok()) return status;
  const absl::StatusOr<Norm> norm = FindNorm(request_, *layers_);
  if (!norm.ok()) return norm.status();
  if (auto status = ReadBatch(request_, norm->hidden(), &batch_); !status.ok()) return status;
  // The size was held against the bytes that came, so what is allocated here is no larger than the message.
  const auto bytes = static_cast<size_t>(batch_.rows * batch_.row_bytes());
  if (!batch_.wants_normalized) discarded_.resize(bytes);
  std::byte* y = batch_.wants_normalized ? answer->Allocate(bytes) : discarded_.data();
  const Clock::time_point computing = Clock::now();
  if (auto status = ComputeRows(call, *norm, y); !status.ok()) return status;
  timings_.queue_ns = NanosecondsSince(call.arrival, start);
  timings_.compute_ns = NanosecondsSince(computing, Clock::now());
  return absl::OkStatus();
}

void NormalizeHandler::WriteHead(const Call& call, Framing framing, Answer* answer) {
  wire::ResponseHead head;
  head.request_id = request_.request_id;
  head.data_type = static_cast<int32_t>(DataType::kFloat32);
  head.hidden = batch_.hidden;
  head.token_counts = batch_.token_counts;
  head.mean = mean_;
  head.rstd = rstd_;
  if (batch_.wants_normalized) {
    head.payload = batch_.typed ? wire::Payload::kValues : wire::Payload::kData;
    head.payload_size = answer->payload_size();
  }
  timings_.total_ns = NanosecondsSince(call.arrival, Clock::now());
  head.timings = timings_;
  framing == Framing::kUnary ? wire::AppendResponseHead(head, &answer->head())
                             : wire::AppendStreamResponseHead(head, &answer->head());
}

absl::Status NormalizeHandler::Handle(const Call& call, Framing framing, Answer* answer) {
  answer->Clear();
  request_.request_id.clear();
  const absl::Status status = Compute(call, answer);
  if (status.ok()) {
    WriteHead(call, framing, answer);
    return status;
  }
  if (framing == Framing::kUnary) return status;
  answer->Clear();
  const std::string text(status.message());
  wire::AppendStreamError(static_cast<int>(status.code()), text.substr(0, 1024),
                          IdToEcho(request_.request_id), &answer->head());
  return absl::OkStatus();
}

}  // namespace normd
