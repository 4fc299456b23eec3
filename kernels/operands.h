// SPDX-License-Identifier: Apache-2.0
//
// The check of a call's operands, once, at the edge.

#ifndef NORMD_OPERANDS_H_
#define NORMD_OPERANDS_H_

#include "absl/status/status.h"
#include "kernels.h"
#include "normd/norm.h"

namespace normd {

// Fills the operands of `call`, whose parameters are set, with strides in bytes.
// Errors: those of Norm::Run.
absl::Status FillOperands(const NormOperands& operands, NormKind kind, NormCall& call);

// The addresses from the first byte of an operand to the one past its last; empty where it is absent.
struct Region {
  uintptr_t begin = 0;
  uintptr_t end = 0;

  static Region Of(const void* data, int64_t bytes) {
    const auto begin = reinterpret_cast<uintptr_t>(data);
    return {begin, data == nullptr ? begin : begin + static_cast<uintptr_t>(bytes)};
  }
  bool Meets(const Region& other) const { return begin < other.end && other.begin < end; }
};

// Whether rows that are written lie exactly on rows that are read, or meet none of them.
inline bool InPlaceOrApart(const Region& written, const Region& read) {
  return written.begin == read.begin || !written.Meets(read);
}

// FillPlainOperands for the residual and its sum.
inline bool FillPlainResidual(const NormOperands& operands, int64_t bytes, const Region& parameters,
                              const Region& more_parameters, NormCall& call) {
  const Region x = Region::Of(operands.x.data, bytes);
  const Region y = Region::Of(operands.y.data, bytes);
  const Region residual = Region::Of(operands.residual.data, bytes);
  const Region sum = Region::Of(operands.residual_sum.data, bytes);
  if (residual.begin == 0 || !InPlaceOrApart(y, residual) || !InPlaceOrApart(sum, x) ||
      !InPlaceOrApart(sum, residual) || sum.Meets(y) || sum.Meets(parameters) || sum.Meets(more_parameters)) {
    return false;
  }
  call.residual = {static_cast<const std::byte*>(operands.residual.data), call.x.stride};
  call.residual_sum = {static_cast<std::byte*>(operands.residual_sum.data), call.x.stride};
  return true;
}

// FillOperands for the common calls, in a fraction of the time of a short row: no statistics in or out, rows
// without gaps, everything plainly apart or exactly in place, and at most `most_rows`, for which no size
// overflows. False where the call is another.
inline bool FillPlainOperands(const NormOperands& operands, int64_t most_rows, NormCall& call) {
  const auto present = [](const auto*... p) { return (reinterpret_cast<uintptr_t>(p) | ...) != 0; };
  const int64_t strides =
      operands.x.stride | operands.y.stride | operands.residual.stride | operands.residual_sum.stride;
  if (present(operands.mean, operands.rstd, operands.given_mean, operands.given_rstd) || strides != 0)
    return false;
  const int64_t value_bytes = BytesOf(operands.data_type);
  if (operands.rows < 1 || operands.rows > most_rows || value_bytes == 0) return false;
  const int64_t row_bytes = call.hidden * value_bytes;
  const int64_t bytes = operands.rows * row_bytes;
  const Region x = Region::Of(operands.x.data, bytes);
  const Region y = Region::Of(operands.y.data, bytes);
  const Region gamma = Region::Of(call.gamma, call.hidden * int64_t{sizeof(float)});
  const Region beta = Region::Of(call.beta, call.hidden * int64_t{sizeof(float)});
  if (x.begin == 0 || y.begin == 0 || !InPlaceOrApart(y, x) || y.Meets(gamma) || y.Meets(beta)) return false;
  call.rows = operands.rows;
  call.x = {static_cast<const std::byte*>(operands.x.data), row_bytes};
  call.y = {static_cast<std::byte*>(operands.y.data), row_bytes};
  return !present(operands.residual.data, operands.residual_sum.data) ||
         FillPlainResidual(operands, bytes, gamma, beta, call);
}

}  // namespace normd

#endif  // NORMD_OPERANDS_H_
