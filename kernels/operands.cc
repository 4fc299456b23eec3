// SPDX-License-Identifier: Apache-2.0
#include "operands.h"

#include <array>

#include "absl/strings/str_cat.h"

namespace normd {
namespace {

constexpr int64_t kFloatBytes = sizeof(float);

absl::Status Refuse(const char* what) { return absl::InvalidArgumentError(what); }

absl::Status RefuseStride(const char* name, int64_t given, const NormCall& call) {
  if (given == 0) given = call.hidden;
  if (given < call.hidden) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " has a stride of ", given, " values; hidden is ", call.hidden));
  }
  return absl::InvalidArgumentError(absl::StrCat(name, " has ", call.rows, " rows of stride ", given,
                                                 " values: more bytes than int64 counts"));
}

// Sets the stride in bytes; 0 stands for hidden. False where it is not one.
inline bool SetStride(int64_t given, const NormCall& call, int64_t value_bytes, int64_t& stride) {
  if (given == 0) given = call.hidden;
  int64_t total;
  return given >= call.hidden && !__builtin_mul_overflow(given, value_bytes, &stride) &&
         !__builtin_mul_overflow(stride, call.rows, &total);
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

template <class Stream>
Region RegionOf(const Stream& stream, const NormCall& call, int64_t value_bytes) {
  return Region::Of(stream.data, (call.rows - 1) * stream.stride + call.hidden * value_bytes);
}

// Rows may be written exactly where they are read.
bool IsExactly(const OutputStream& written, const InputStream& read) {
  return written.data == read.data && written.stride == read.stride;
}

absl::Status CheckRowsApart(const char* name, const OutputStream& written, const NormCall& call,
                            int64_t value_bytes) {
  const Region region = RegionOf(written, call, value_bytes);
  const bool on_x = region.Meets(RegionOf(call.x, call, value_bytes)) && !IsExactly(written, call.x);
  const bool on_residual =
      region.Meets(RegionOf(call.residual, call, value_bytes)) && !IsExactly(written, call.residual);
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
  if (!written.region.Meets(other.region)) return absl::OkStatus();
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
      {"mean", Region::Of(call.mean, row_floats)},
      {"rstd", Region::Of(call.rstd, row_floats)},
      {"given_mean", Region::Of(call.given_mean, row_floats)},
      {"given_rstd", Region::Of(call.given_rstd, row_floats)},
      {"gamma", Region::Of(call.gamma, hidden_floats)},
      {"beta", Region::Of(call.beta, hidden_floats)},
      {"running_mean", Region::Of(call.feature_mean, hidden_floats)},
      {"running_var", Region::Of(call.feature_var, hidden_floats)},
      {"the scales", Region::Of(call.feature_scale, hidden_floats)},
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
  const auto set = [&](int64_t given, int64_t& stride) {
    return SetStride(given, call, value_bytes, stride);
  };
  if (!set(operands.x.stride, call.x.stride)) return RefuseStride("x", operands.x.stride, call);
  if (!set(operands.y.stride, call.y.stride)) return RefuseStride("y", operands.y.stride, call);
  if (!set(operands.residual.stride, call.residual.stride))
    return RefuseStride("residual", operands.residual.stride, call);
  if (!set(operands.residual_sum.stride, call.residual_sum.stride))
    return RefuseStride("residual_sum", operands.residual_sum.stride, call);
  if (call.rows == 0) return absl::OkStatus();
  if (auto status = CheckAddresses(call); !status.ok()) return status;
  if (auto status = CheckKind(operands, kind); !status.ok()) return status;
  return CheckOverlap(call, value_bytes);
}

}  // namespace normd
