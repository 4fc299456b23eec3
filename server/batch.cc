// SPDX-License-Identifier: Apache-2.0
#include "batch.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace normd {
namespace {

// The values of normd.v1.Output.
enum Output : int32_t { kNormalized = 1, kMean = 2, kRstd = 3, kResidualSum = 4 };

absl::Status ReadDataType(int32_t data_type, Batch* batch) {
  batch->data_type = data_type == 0 ? DataType::kFloat32 : DataType{data_type};
  if (BytesOf(batch->data_type) > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("expected a data_type from 1 (FLOAT32) to 3 (BFLOAT16), got ", data_type));
}

absl::Status ReadOutput(int32_t output, Batch* batch) {
  bool* const wanted[] = {&batch->wants_normalized, &batch->wants_mean, &batch->wants_rstd,
                          &batch->wants_residual_sum};
  if (output < kNormalized || output > kResidualSum) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected an output from 1 (NORMALIZED) to 4 (RESIDUAL_SUM), got ", output));
  }
  *wanted[output - 1] = true;
  return absl::OkStatus();
}

const char* NameOf(NormKind kind) {
  if (kind == NormKind::kBatchNorm) return "batch_norm";
  return kind == NormKind::kRmsNorm ? "rms_norm" : "layer_norm";
}

absl::Status CheckOutputs(const Batch& batch, NormKind kind) {
  if (batch.wants_mean && kind != NormKind::kLayerNorm) {
    return absl::InvalidArgumentError(absl::StrCat("MEAN: expected a layer_norm, got a ", NameOf(kind)));
  }
  if (batch.wants_rstd && kind == NormKind::kBatchNorm) {
    return absl::InvalidArgumentError("RSTD: expected a layer_norm or rms_norm, got a batch_norm");
  }
  return absl::OkStatus();
}

absl::Status ReadOutputs(const std::vector<int32_t>& outputs, Batch* batch) {
  batch->wants_normalized = outputs.empty();
  batch->wants_mean = batch->wants_rstd = batch->wants_residual_sum = false;
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

// Bytes of the tokens as they came.
uint64_t TokenBytes(const wire::NormalizeRequest& request) {
  return request.data.has_value() ? request.data->size : request.values.size() * sizeof(float);
}

// One of data and values, and a residual of the same form.
absl::Status CheckForms(const wire::NormalizeRequest& request) {
  if (request.data.has_value() && !request.values.empty()) {
    return absl::InvalidArgumentError("expected data or values, got both");
  }
  if (request.data.has_value() && !request.residual_values.empty()) {
    return absl::InvalidArgumentError("expected a residual in bytes, as data is, got residual_values");
  }
  if (!request.values.empty() && request.residual.has_value()) {
    return absl::InvalidArgumentError("expected residual_values, as the tokens are values, got residual");
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

absl::Status CheckPayloadSize(const char* name, const Batch& batch, int64_t expected, uint64_t bytes) {
  if (static_cast<uint64_t>(expected) == bytes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, "expected ", expected, " bytes (", batch.rows,
                                                 " rows of hidden ", batch.hidden, "), got ", bytes));
}

// Without rows, no residual_values are a residual as well as none.
absl::Status CheckResidual(const wire::NormalizeRequest& request, int64_t expected, Batch* batch) {
  const bool none = !request.residual.has_value() && request.residual_values.empty();
  batch->has_residual = !none || (batch->rows == 0 && !request.data.has_value());
  if (none && batch->wants_residual_sum && !batch->has_residual) {
    return absl::InvalidArgumentError("RESIDUAL_SUM: expected a residual, got none");
  }
  if (none) return absl::OkStatus();
  if (request.residual.has_value())
    return CheckPayloadSize("residual: ", *batch, expected, request.residual->size);
  return CheckPayloadSize("residual_values: ", *batch, expected,
                          request.residual_values.size() * sizeof(float));
}

absl::Status CheckSizes(const wire::NormalizeRequest& request, int64_t row_bytes, Batch* batch) {
  int64_t expected = 0;
  if (__builtin_mul_overflow(batch->rows, row_bytes, &expected)) {
    return absl::InvalidArgumentError(
        absl::StrCat(batch->rows, " rows of hidden ", batch->hidden, " are more bytes than int64 counts"));
  }
  if (auto status = CheckPayloadSize("", *batch, expected, TokenBytes(request)); !status.ok()) return status;
  return CheckResidual(request, expected, batch);
}

// Fills rows and token_counts.
absl::Status ReadCounts(const wire::NormalizeRequest& request, int64_t row_bytes, Batch* batch) {
  const absl::StatusOr<int64_t> rows = request.token_counts.empty()
                                           ? RowsOfPayload(TokenBytes(request), row_bytes)
                                           : SumCounts(request.token_counts);
  if (!rows.ok()) return rows.status();
  batch->rows = *rows;
  batch->token_counts = request.token_counts;
  if (batch->token_counts.empty()) batch->token_counts.push_back(*rows);
  return absl::OkStatus();
}

absl::Status ReadShape(const wire::NormalizeRequest& request, int64_t hidden, Batch* batch) {
  if (hidden > INT64_MAX / int64_t{sizeof(float)}) {
    return absl::InvalidArgumentError(
        absl::StrCat("a row of hidden ", hidden, " is more bytes than int64 counts"));
  }
  batch->hidden = hidden;
  batch->typed = !request.values.empty();
  // Values are floats on their way, whatever they are rounded to.
  const int64_t row_bytes = batch->typed ? hidden * int64_t{sizeof(float)} : batch->row_bytes();
  if (auto status = ReadCounts(request, row_bytes, batch); !status.ok()) return status;
  return CheckSizes(request, row_bytes, batch);
}

}  // namespace

absl::Status ReadBatch(const wire::NormalizeRequest& request, const Norm& norm, Batch* batch) {
  if (static_cast<int64_t>(request.request_id.size()) > kMaxRequestIdBytes) {
    return absl::InvalidArgumentError(absl::StrCat("request_id: expected at most ", kMaxRequestIdBytes,
                                                   " bytes, got ", request.request_id.size()));
  }
  if (auto status = ReadDataType(request.data_type, batch); !status.ok()) return status;
  if (auto status = ReadOutputs(request.outputs, batch); !status.ok()) return status;
  if (auto status = CheckOutputs(*batch, norm.kind()); !status.ok()) return status;
  if (auto status = CheckForms(request); !status.ok()) return status;
  return ReadShape(request, norm.hidden(), batch);
}

}  // namespace normd
