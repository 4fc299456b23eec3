// SPDX-License-Identifier: Apache-2.0
#include "batch.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace normd {
namespace {

// The values of normd.v1.Output.
enum Output : int32_t { kNormalized = 1, kMean = 2, kRstd = 3, kResidualSum = 4 };

absl::Status CheckDataType(int32_t data_type) {
  if (data_type == 0 || data_type == static_cast<int32_t>(DataType::kFloat32)) return absl::OkStatus();
  if (data_type == static_cast<int32_t>(DataType::kFloat16) ||
      data_type == static_cast<int32_t>(DataType::kBfloat16)) {
    return absl::UnimplementedError("this release computes FLOAT32; FLOAT16 and BFLOAT16 are not served yet");
  }
  return absl::InvalidArgumentError(
      absl::StrCat("expected a data_type from 1 (FLOAT32) to 3 (BFLOAT16), got ", data_type));
}

absl::Status ReadOutput(int32_t output, Batch* batch) {
  if (output < kNormalized || output > kResidualSum) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected an output from 1 (NORMALIZED) to 4 (RESIDUAL_SUM), got ", output));
  }
  if (output == kResidualSum)
    return absl::UnimplementedError("this release has no residual; RESIDUAL_SUM is not served yet");
  bool& wanted = output == kNormalized ? batch->wants_normalized
                 : output == kMean     ? batch->wants_mean
                                       : batch->wants_rstd;
  wanted = true;
  return absl::OkStatus();
}

absl::Status ReadOutputs(const std::vector<int32_t>& outputs, Batch* batch) {
  batch->wants_normalized = outputs.empty();
  batch->wants_mean = batch->wants_rstd = false;
  for (const int32_t output : outputs) {
    if (auto status = ReadOutput(output, batch); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// The rows that the counts add up to.
absl::StatusOr<int64_t> SumCounts(const std::vector<int64_t>& token_counts) {
  int64_t rows = 0;
  for (size_t i = 0; i < token_counts.size(); ++i) {
    if (token_counts[i] < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("token_counts[", i, "]: expected at least 0, got ", token_counts[i]));
    }
    if (__builtin_add_overflow(rows, token_counts[i], &rows)) {
      return absl::InvalidArgumentError("token_counts: their sum is more than int64 counts");
    }
  }
  return rows;
}

absl::Status CheckPayloads(const wire::NormalizeRequest& request) {
  if (request.residual.has_value() || !request.residual_values.empty()) {
    return absl::UnimplementedError("this release takes no residual; it is not served yet");
  }
  if (request.data.has_value() && !request.values.empty()) {
    return absl::InvalidArgumentError("expected data or values, got both");
  }
  const bool empty = !request.token_counts.empty() &&
                     std::ranges::all_of(request.token_counts, [](int64_t count) { return count == 0; });
  if (request.data.has_value() || !request.values.empty() || empty) return absl::OkStatus();
  return absl::InvalidArgumentError("expected data or values, got neither");
}

// One sequence, whose length follows from the payload.
absl::StatusOr<int64_t> RowsOfPayload(uint64_t bytes, int64_t row_bytes) {
  if (bytes % static_cast<uint64_t>(row_bytes) == 0)
    return static_cast<int64_t>(bytes / static_cast<uint64_t>(row_bytes));
  return absl::InvalidArgumentError(
      absl::StrCat("expected a payload of whole rows of ", row_bytes, " bytes, got ", bytes, " bytes"));
}

absl::Status CheckSize(const Batch& batch, uint64_t bytes) {
  int64_t expected = 0;
  if (__builtin_mul_overflow(batch.rows, batch.row_bytes(), &expected)) {
    return absl::InvalidArgumentError(
        absl::StrCat(batch.rows, " rows of hidden ", batch.hidden, " are more bytes than int64 counts"));
  }
  if (static_cast<uint64_t>(expected) == bytes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("expected ", expected, " bytes (", batch.rows,
                                                 " rows of hidden ", batch.hidden, "), got ", bytes));
}

}  // namespace

absl::Status ReadBatch(const wire::NormalizeRequest& request, int64_t hidden, Batch* batch) {
  if (static_cast<int64_t>(request.request_id.size()) > kMaxRequestIdBytes) {
    return absl::InvalidArgumentError(absl::StrCat("request_id: expected at most ", kMaxRequestIdBytes,
                                                   " bytes, got ", request.request_id.size()));
  }
  if (auto status = CheckDataType(request.data_type); !status.ok()) return status;
  if (auto status = ReadOutputs(request.outputs, batch); !status.ok()) return status;
  if (auto status = CheckPayloads(request); !status.ok()) return status;
  if (hidden > INT64_MAX / int64_t{sizeof(float)}) {
    return absl::InvalidArgumentError(
        absl::StrCat("a row of hidden ", hidden, " is more bytes than int64 counts"));
  }
  batch->hidden = hidden;
  batch->typed = !request.values.empty();
  const uint64_t bytes =
      request.data.has_value() ? request.data->size : request.values.size() * sizeof(float);
  const absl::StatusOr<int64_t> rows = request.token_counts.empty() ? RowsOfPayload(bytes, batch->row_bytes())
                                                                    : SumCounts(request.token_counts);
  if (!rows.ok()) return rows.status();
  batch->rows = *rows;
  batch->token_counts = request.token_counts;
  if (batch->token_counts.empty()) batch->token_counts.push_back(*rows);
  return CheckSize(*batch, bytes);
}

}  // namespace normd
