// SPDX-License-Identifier: Apache-2.0
#include "normalize.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "normd/convert.h"
#include "wire/utf8.h"

namespace normd {
namespace {

uint64_t NanosecondsSince(Clock::time_point start, Clock::time_point end) {
  return static_cast<uint64_t>(std::max<int64_t>(0, std::chrono::nanoseconds(end - start).count()));
}

size_t SizeOf(int64_t bytes) { return static_cast<size_t>(bytes); }

// An id that is refused for its length or its bytes is not sent back: the client could not read the error.
std::string_view IdToEcho(std::string_view id) {
  const bool fits = id.size() <= static_cast<size_t>(kMaxRequestIdBytes) && wire::IsUtf8(id);
  return fits ? id : std::string_view();
}

}  // namespace

absl::Status NormalizeHandler::ComputeRows(const Norm& norm) {
  const bool has_residual = batch_.has_residual;
  for (int64_t first = 0; first < batch_.rows;) {
    NormOperands operands;
    operands.rows = has_residual ? std::min(x_.rows(), residual_.rows()) : x_.rows();
    operands.data_type = batch_.data_type;
    operands.x.data = x_.data();
    operands.y.data = y_ + first * batch_.row_bytes();
    if (has_residual) operands.residual.data = residual_.data();
    if (batch_.wants_residual_sum) operands.residual_sum.data = residual_sum_ + first * batch_.row_bytes();
    if (batch_.wants_mean) operands.mean = mean_.data() + first;
    if (batch_.wants_rstd) operands.rstd = rstd_.data() + first;
    if (auto status = norm.Run(operands); !status.ok()) return status;
    x_.Advance(operands.rows);
    if (has_residual) residual_.Advance(operands.rows);
    first += operands.rows;
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

void NormalizeHandler::OpenRows(const Call& call) {
  const int64_t row_bytes = batch_.row_bytes();
  const auto open = [&](int i, const std::vector<float>& values, PayloadRows* rows) {
    const std::span<const std::byte> bytes = RoundValues(values, &rounded_[i]);
    rounded_slices_[i] = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    rows->Open({&rounded_slices_[i], 1}, {0, bytes.size()}, row_bytes);
  };
  if (batch_.typed) {
    open(0, request_.values, &x_);
    open(1, request_.residual_values, &residual_);
  } else {
    x_.Open(call.message, request_.data.value_or(wire::ByteRange()), row_bytes);
    residual_.Open(call.message, request_.residual.value_or(wire::ByteRange()), row_bytes);
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
  if (start >= call.deadline) return absl::DeadlineExceededError("the deadline passed before the work began");
  if (auto status = wire::ReadNormalizeRequest(call.message, {}, &request_); !status.ok()) return status;
  const absl::StatusOr<Norm> norm = FindNorm(request_, *layers_);
  if (!norm.ok()) return norm.status();
  if (auto status = ReadBatch(request_, *norm, &batch_); !status.ok()) return status;
  MakeRoom(answer);
  OpenRows(call);
  const Clock::time_point computing = Clock::now();
  if (auto status = ComputeRows(*norm); !status.ok()) return status;
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

absl::Status NormalizeHandler::Handle(const Call& call, Framing framing, Answer* answer) {
  answer->Clear();
  request_.request_id.clear();
  status_ = Compute(call, answer);
  if (status_.ok()) {
    WriteHead(call, framing, answer);
    return status_;
  }
  if (framing == Framing::kUnary) return status_;
  answer->Clear();
  const std::string text(status_.message());
  wire::AppendStreamError(static_cast<int>(status_.code()), text.substr(0, 1024),
                          IdToEcho(request_.request_id), &answer->head);
  return absl::OkStatus();
}

}  // namespace normd
