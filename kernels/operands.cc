// SPDX-License-Identifier: Apache-2.0
#include "operands.h"

#include <array>

#include "absl/strings/str_cat.h"

namespace normd {
namespace {

constexpr int64_t kFloatBytes = sizeof(float);

absl::Status Refuse(const char* what) { return absl::InvalidArgumentError(what); }

// The stride in bytes; 0 stands for hidden.
absl::Status CheckStride(const char* name, int64_t given, const NormCall& call, int64_t value_bytes,
                         int64_t& stride) {
  if (given == 0) given = call.hidden;
  if (given < call.hidden) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " has a stride of ", given, " values; hidden is ", call.hidden));
  }
  int64_t total = 0;
  if (__builtin_mul_overflow(given, value_bytes, &stride) ||
      __builtin_mul_overflow(stride, call.rows, &total)) {
    return absl::InvalidArgumentError(absl::StrCat(name, " has ", call.rows, " rows of stride ", given,
                                                   " values: more bytes than int64 counts"));
  }
  return absl::OkStatus();
}

absl::Status CheckKind(const NormOperands& operands, NormKind kind) {
  const bool given = operands.given_mean != nullptr || operands.given_rstd != nullptr;
  const bool wanted = operands.mean != nullptr || operands.rstd != nullptr;
  if (kind == NormKind::kBatchNorm && (given || wanted)) {
    return Refuse("batch_norm has no statistics of its rows: expected none of mean, rstd and given ones");
  }
  if (kind == NormKind::kRmsNorm && (operands.mean != nullptr || operands.given_mean != nullptr)) {
    return Refuse("rms_norm has no mean: expected rstd alone");
  }
  if (given && wanted) return Refuse("expected statistics that are given or wanted, got both");
  if (given && operands.given_rstd == nullptr) return Refuse("given_mean came without given_rstd");
  if (given && kind == NormKind::kLayerNorm && operands.given_mean == nullptr) {
    return Refuse("given_rstd came without given_mean");
  }
  if (operands.residual_sum.data != nullptr && operands.residual.data == nullptr) {
    return Refuse("residual_sum came without a residual");
  }
  return absl::OkStatus();
}

// The addresses from the first byte of an operand to the one past its last; empty where it is absent.
struct Region {
  uintptr_t begin = 0;
  uintptr_t end = 0;
};

Region RegionOf(const void* data, int64_t bytes) {
  const auto begin = reinterpret_cast<uintptr_t>(data);
  return {begin, data == nullptr ? begin : begin + static_cast<uintptr_t>(bytes)};
}

template <class Stream>
Region RegionOf(const Stream& stream, const NormCall& call, int64_t value_bytes) {
  return RegionOf(stream.data, (call.rows - 1) * stream.stride + call.hidden * value_bytes);
}

bool Meet(const Region& a, const Region& b) { return a.begin < b.end && b.begin < a.end; }

// Rows may be written exactly where they are read.
bool IsExactly(const OutputStream& written, const InputStream& read) {
  return written.data == read.data && written.stride == read.stride;
}

absl::Status CheckRowsApart(const char* name, const OutputStream& written, const NormCall& call,
                            int64_t value_bytes) {
  const Region region = RegionOf(written, call, value_bytes);
  const bool on_x = Meet(region, RegionOf(call.x, call, value_bytes)) && !IsExactly(written, call.x);
  const bool on_residual =
      Meet(region, RegionOf(call.residual, call, value_bytes)) && !IsExactly(written, call.residual);
  if (!on_x && !on_residual) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, " overlaps ", on_x ? "x" : "residual",
                                                 ": expected exactly ", on_x ? "x" : "residual",
                                                 ", or rows that do not meet it"));
}

struct Named {
  const char* name;
  Region region;
};

absl::Status CheckApart(const Named& written, const Named& other) {
  if (!Meet(written.region, other.region)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(written.name, " overlaps ", other.name));
}

absl::Status CheckOverlap(const NormCall& call, int64_t value_bytes) {
  if (auto status = CheckRowsApart("y", call.y, call, value_bytes); !status.ok()) return status;
  if (auto status = CheckRowsApart("residual_sum", call.residual_sum, call, value_bytes); !status.ok())
    return status;
  const int64_t row_floats = call.rows * kFloatBytes;
  const int64_t hidden_floats = call.hidden * kFloatBytes;
  // What is written, then what is only read; each of the first with all that follow it.
  constexpr size_t kWritten = 4;
  const std::array<Named, 13> operands = {{
      {"y", RegionOf(call.y, call, value_bytes)},
      {"residual_sum", RegionOf(call.residual_sum, call, value_bytes)},
      {"mean", RegionOf(call.mean, row_floats)},
      {"rstd", RegionOf(call.rstd, row_floats)},
      {"given_mean", RegionOf(call.given_mean, row_floats)},
      {"given_rstd", RegionOf(call.given_rstd, row_floats)},
      {"gamma", RegionOf(call.gamma, hidden_floats)},
      {"beta", RegionOf(call.beta, hidden_floats)},
      {"running_mean", RegionOf(call.feature_mean, hidden_floats)},
      {"running_var", RegionOf(call.feature_var, hidden_floats)},
      {"the scales", RegionOf(call.feature_scale, hidden_floats)},
      {"x", RegionOf(call.x, call, value_bytes)},
      {"residual", RegionOf(call.residual, call, value_bytes)},
  }};
  constexpr size_t kRows = operands.size() - 2;  // y and residual_sum were held against these
  for (size_t i = 0; i < kWritten; ++i) {
    for (size_t j = i + 1; j < (i < 2 ? kRows : operands.size()); ++j) {
      if (auto status = CheckApart(operands[i], operands[j]); !status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

// The common call, x to y with gamma and beta alone, whose operands plainly lie apart.
bool PlainlyApart(const NormCall& call, int64_t value_bytes) {
  if (call.residual.data != nullptr || call.residual_sum.data != nullptr || call.mean != nullptr ||
      call.rstd != nullptr || call.given_mean != nullptr || call.given_rstd != nullptr ||
      call.feature_mean != nullptr)
    return false;
  const Region y = RegionOf(call.y, call, value_bytes);
  const int64_t parameter_bytes = call.hidden * kFloatBytes;
  return (IsExactly(call.y, call.x) || !Meet(y, RegionOf(call.x, call, value_bytes))) &&
         !Meet(y, RegionOf(call.gamma, parameter_bytes)) && !Meet(y, RegionOf(call.beta, parameter_bytes));
}

absl::Status CheckAddresses(const NormCall& call) {
  if (call.x.data != nullptr && call.y.data != nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("expected ", call.rows, " rows, got no address of ", call.x.data == nullptr ? "x" : "y"));
}

}  // namespace

absl::Status FillOperands(const NormOperands& operands, NormKind kind, NormCall& call) {
  const int64_t value_bytes = BytesOf(operands.data_type);
  if (value_bytes == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a data_type from 1 (float32) to 3 (bfloat16), got ",
                     static_cast<int32_t>(operands.data_type)));
  }
  call.rows = operands.rows;
  if (call.rows < 0)
    return absl::InvalidArgumentError(absl::StrCat("expected rows of at least 0, got ", call.rows));
  call.x.data = static_cast<const std::byte*>(operands.x.data);
  call.y.data = static_cast<std::byte*>(operands.y.data);
  call.residual.data = static_cast<const std::byte*>(operands.residual.data);
  call.residual_sum.data = static_cast<std::byte*>(operands.residual_sum.data);
  call.mean = operands.mean;
  call.rstd = operands.rstd;
  call.given_mean = operands.given_mean;
  call.given_rstd = operands.given_rstd;
  const auto stride = [&](const char* name, int64_t given, int64_t& bytes) {
    return CheckStride(name, given, call, value_bytes, bytes);
  };
  if (auto status = stride("x", operands.x.stride, call.x.stride); !status.ok()) return status;
  if (auto status = stride("y", operands.y.stride, call.y.stride); !status.ok()) return status;
  if (auto status = stride("residual", operands.residual.stride, call.residual.stride); !status.ok())
    return status;
  if (auto status = stride("residual_sum", operands.residual_sum.stride, call.residual_sum.stride);
      !status.ok())
    return status;
  if (call.rows == 0) return absl::OkStatus();
  if (auto status = CheckAddresses(call); !status.ok()) return status;
  if (PlainlyApart(call, value_bytes)) return absl::OkStatus();
  if (auto status = CheckKind(operands, kind); !status.ok()) return status;
  return CheckOverlap(call, value_bytes);
}

}  // namespace normd
