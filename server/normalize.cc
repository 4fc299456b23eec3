// SPDX-License-Identifier: Apache-2.0
#include "normalize.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "normd/convert.h"
#include "wire/utf8.h"

namespace normd {
namespace {

uint64_t NanosecondsSince(Clock::time_point start, Clock::time_point end) {
  return static_cast<uint64_t>(std::max<int64_t>(0, std::chrono::nanoseconds(end - start).count()));
}

// A part below this is done sooner than another thread wakes up for it.
constexpr int64_t kLeastPartBytes = int64_t{1} << 19;
// Computed before it is asked again whether anybody waits for the answer: some 50 us of work.
constexpr int64_t kChunkBytes = int64_t{1} << 18;

absl::Status StillWanted(const Call& call, const char* when) {
  if (call.cancelled != nullptr && call.cancelled->load(std::memory_order_relaxed))
    return absl::CancelledError(absl::StrCat("the call was cancelled ", when));
  if (call.deadline == Clock::time_point::max() || Clock::now() < call.deadline) return absl::OkStatus();
  return absl::DeadlineExceededError(absl::StrCat("the deadline passed ", when));
}

size_t SizeOf(int64_t bytes) { return static_cast<size_t>(bytes); }

// An id that is refused for its length or its bytes is not sent back: the client could not read the error.
std::string_view IdToEcho(std::string_view id) {
  const bool fits = id.size() <= static_cast<size_t>(kMaxRequestIdBytes) && wire::IsUtf8(id);
  return fits ? id : std::string_view();
}

}  // namespace

// One call of the kernels: rows that lie one after the other.
absl::StatusOr<int64_t> NormalizeHandler::ComputeStretch(const Norm& norm, int64_t first, int64_t most_rows,
                                                         Part* part) {
  NormOperands operands;
  operands.rows = std::min(most_rows, part->x.rows());
  if (batch_.has_residual) operands.rows = std::min(operands.rows, part->residual.rows());
  operands.data_type = batch_.data_type;
  operands.x.data = part->x.data();
  operands.y.data = y_ + first * batch_.row_bytes();
  if (batch_.has_residual) operands.residual.data = part->residual.data();
  if (batch_.wants_residual_sum) operands.residual_sum.data = residual_sum_ + first * batch_.row_bytes();
  if (batch_.wants_mean) operands.mean = mean_.data() + first;
  if (batch_.wants_rstd) operands.rstd = rstd_.data() + first;
  if (auto status = norm.Run(operands); !status.ok()) return status;
  part->x.Advance(operands.rows);
  if (batch_.has_residual) part->residual.Advance(operands.rows);
  return operands.rows;
}

absl::Status NormalizeHandler::ComputePart(const Norm& norm, const Call& call, int64_t first, int64_t rows,
                                           Part* part) {
  const auto open = [&](const Source& source, PayloadRows* of) {
    const auto bytes = static_cast<uint64_t>(batch_.row_bytes());
    of->Open(
        source.slices,
        {source.range.offset + static_cast<uint64_t>(first) * bytes, static_cast<uint64_t>(rows) * bytes},
        batch_.row_bytes());
  };
  open(x_, &part->x);
  if (batch_.has_residual) open(residual_, &part->residual);
  const int64_t chunk_rows = std::max<int64_t>(1, kChunkBytes / batch_.row_bytes());
  const int64_t end = first + rows;
  for (int64_t next = first, chunk_end = first + chunk_rows; next < end;) {
    if (next == chunk_end) {
      if (auto status = StillWanted(call, "in the midst of it"); !status.ok()) return status;
      chunk_end += chunk_rows;
    }
    const absl::StatusOr<int64_t> computed = ComputeStretch(norm, next, chunk_end - next, part);
    if (!computed.ok()) return computed.status();
    next += *computed;
  }
  return absl::OkStatus();
}

absl::Status NormalizeHandler::ComputeRows(const Norm& norm, const Call& call) {
  const int64_t parts =
      std::clamp<int64_t>(batch_.rows * batch_.row_bytes() / kLeastPartBytes, 1, call.tasks);
  parts_.resize(static_cast<size_t>(parts));
  if (parts == 1) return ComputePart(norm, call, 0, batch_.rows, parts_.data());
  std::vector<absl::Status> statuses(parts_.size());
  const auto first = [&](int64_t index) {
    return static_cast<int64_t>(__int128{batch_.rows} * index / parts);
  };
  // Orders the parts' work before what follows, also for tools that do not see into oneTBB.
  std::atomic<int64_t> done = 0;
  oneapi::tbb::parallel_for(int64_t{0}, parts, [&](int64_t index) {
    const auto i = static_cast<size_t>(index);
    statuses[i] = ComputePart(norm, call, first(index), first(index + 1) - first(index), &parts_[i]);
    done.fetch_add(1, std::memory_order_release);
  });
  done.load(std::memory_order_acquire);
  for (const absl::Status& status : statuses) {
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

std::span<const std::byte> NormalizeHandler::RoundValues(const std::vector<float>& values,
                                                         std::vector<std::byte>* rounded) const {
  if (batch_.data_type == DataType::kFloat32) return std::as_bytes(std::span(values));
  rounded->resize(values.size() * SizeOf(BytesOf(batch_.data_type)));
  RoundFloats(values, batch_.data_type, rounded->data());
  return *rounded;
}

void NormalizeHandler::FindRows(const Call& call) {
  const auto of_values = [&](int i, const std::vector<float>& values) -> Source {
    const std::span<const std::byte> bytes = RoundValues(values, &rounded_[i]);
    rounded_slices_[i] = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    return {{&rounded_slices_[i], 1}, {0, bytes.size()}};
  };
  if (batch_.typed) {
    x_ = of_values(0, request_.values);
    residual_ = of_values(1, request_.residual_values);
  } else {
    x_ = {call.message, request_.data.value_or(wire::ByteRange())};
    residual_ = {call.message, request_.residual.value_or(wire::ByteRange())};
  }
}

// The sizes were held against the bytes that came, so what is allocated here is no larger than the message.
void NormalizeHandler::MakeRoom(Answer* answer) {
  const size_t bytes = SizeOf(batch_.rows * batch_.row_bytes());
  const auto place = [&](bool wanted, AnswerPayload* payload, std::vector<std::byte>* scratch) {
    if (wanted && !narrow()) return payload->Allocate(bytes);
    scratch->resize(bytes);
    return scratch->data();
  };
  y_ = place(batch_.wants_normalized, &answer->normalized, &y_scratch_);
  if (batch_.wants_residual_sum) residual_sum_ = place(true, &answer->residual_sum, &residual_sum_scratch_);
  mean_.resize(batch_.wants_mean ? SizeOf(batch_.rows) : 0);
  rstd_.resize(batch_.wants_rstd ? SizeOf(batch_.rows) : 0);
}

void NormalizeHandler::WidenAnswer(Answer* answer) {
  const auto widen = [&](const std::byte* from, AnswerPayload* payload) {
    std::byte* const to = payload->Allocate(SizeOf(batch_.values()) * sizeof(float));
    WidenToFloats(from, batch_.data_type, {reinterpret_cast<float*>(to), SizeOf(batch_.values())});
  };
  if (batch_.wants_normalized) widen(y_, &answer->normalized);
  if (batch_.wants_residual_sum) widen(residual_sum_, &answer->residual_sum);
}

absl::Status NormalizeHandler::Compute(const Call& call, Answer* answer) {
  const Clock::time_point start = Clock::now();
  if (auto status = StillWanted(call, "before the work began"); !status.ok()) return status;
  if (auto status = wire::ReadNormalizeRequest(call.message, {}, &request_); !status.ok()) return status;
  const absl::StatusOr<Norm> norm = FindNorm(request_, *layers_);
  if (!norm.ok()) return norm.status();
  if (auto status = ReadBatch(request_, *norm, &batch_); !status.ok()) return status;
  MakeRoom(answer);
  FindRows(call);
  const Clock::time_point computing = Clock::now();
  if (auto status = ComputeRows(*norm, call); !status.ok()) return status;
  timings_.queue_ns = NanosecondsSince(call.arrival, start);
  timings_.compute_ns = NanosecondsSince(computing, Clock::now());
  if (narrow()) WidenAnswer(answer);
  return absl::OkStatus();
}

void NormalizeHandler::WriteHead(const Call& call, Framing framing, Answer* answer) {
  wire::ResponseHead head;
  head.request_id = request_.request_id;
  head.data_type = static_cast<int32_t>(batch_.data_type);
  head.hidden = batch_.hidden;
  head.token_counts = batch_.token_counts;
  head.mean = mean_;
  head.rstd = rstd_;
  if (batch_.wants_normalized) {
    head.payload = batch_.typed ? wire::Payload::kValues : wire::Payload::kData;
    head.payload_size = answer->normalized.size;
  }
  if (batch_.wants_residual_sum) {
    head.residual_sum = batch_.typed ? wire::Payload::kResidualSumValues : wire::Payload::kResidualSum;
    head.residual_sum_size = answer->residual_sum.size;
  }
  timings_.total_ns = NanosecondsSince(call.arrival, Clock::now());
  head.timings = timings_;
  wire::AppendBetween(head, &answer->between);
  framing == Framing::kUnary ? wire::AppendResponseHead(head, &answer->head)
                             : wire::AppendStreamResponseHead(head, &answer->head);
}

absl::Status AnswerError(const absl::Status& status, Framing framing, std::string_view request_id,
                         Answer* answer) {
  answer->Clear();
  if (framing == Framing::kUnary) return status;
  const std::string text(status.message());
  wire::AppendStreamError(static_cast<int>(status.code()), text.substr(0, 1024), IdToEcho(request_id),
                          &answer->head);
  return absl::OkStatus();
}

absl::Status NormalizeHandler::Handle(const Call& call, Framing framing, Answer* answer) {
  answer->Clear();
  request_.request_id.clear();
  status_ = Compute(call, answer);
  if (!status_.ok()) return AnswerError(status_, framing, request_.request_id, answer);
  WriteHead(call, framing, answer);
  return status_;
}

}  // namespace normd
