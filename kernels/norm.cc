// SPDX-License-Identifier: Apache-2.0
#include "normd/norm.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "absl/strings/str_cat.h"
#include "float_environment.h"
#include "kernels.h"
#include "rescue.h"

namespace normd {
namespace {

constexpr int64_t kFloatBytes = sizeof(float);

absl::Status CheckLength(const char* name, std::span<const float> values, int64_t hidden) {
  if (values.empty() || static_cast<int64_t>(values.size()) == hidden) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, " has ", values.size(), " values; hidden is ", hidden));
}

// The float32 epsilon, or why there is none. A double above float's range would round to infinity.
absl::StatusOr<float> RoundEpsilon(double epsilon) {
  const float rounded = static_cast<float>(epsilon);
  if (epsilon >= 0 && rounded <= std::numeric_limits<float>::max()) return rounded;
  return absl::InvalidArgumentError(
      absl::StrCat("expected an epsilon that is finite and not negative, got ", epsilon));
}

bool AllFinite(std::span<const float> values) {
  return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
}

// The addresses from the first byte of an operand to its last.
struct Region {
  uintptr_t begin = 0;
  uintptr_t end = 0;  // equal to begin where the operand is absent
};

Region RegionOf(const void* data, int64_t bytes) {
  const auto begin = reinterpret_cast<uintptr_t>(data);
  return {begin, data == nullptr ? begin : begin + static_cast<uintptr_t>(bytes)};
}

bool Overlap(const Region& a, const Region& b) { return a.begin < b.end && b.begin < a.end; }

// A checked stride: 0 stands for hidden.
absl::StatusOr<int64_t> StrideBytes(const char* name, int64_t stride, int64_t rows, int64_t hidden) {
  if (stride == 0) stride = hidden;
  if (stride < hidden) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " has a stride of ", stride, " values; hidden is ", hidden));
  }
  int64_t bytes = 0;
  int64_t total = 0;
  if (__builtin_mul_overflow(stride, kFloatBytes, &bytes) || __builtin_mul_overflow(bytes, rows, &total)) {
    return absl::InvalidArgumentError(absl::StrCat(name, " has ", rows, " rows of stride ", stride,
                                                   " values: more bytes than int64 counts"));
  }
  return bytes;
}

int64_t Extent(int64_t rows, int64_t stride_bytes, int64_t hidden) {
  return (rows - 1) * stride_bytes + hidden * kFloatBytes;
}

// y may be exactly x; nothing else that is written may meet anything that is read or written.
absl::Status CheckOverlap(const LayerNormCall& call) {
  const Region x = RegionOf(call.x, Extent(call.rows, call.x_stride, call.hidden));
  const Region y = RegionOf(call.y, Extent(call.rows, call.y_stride, call.hidden));
  const Region mean = RegionOf(call.mean, call.rows * kFloatBytes);
  const Region rstd = RegionOf(call.rstd, call.rows * kFloatBytes);
  const Region gamma = RegionOf(call.gamma, call.hidden * kFloatBytes);
  const Region beta = RegionOf(call.beta, call.hidden * kFloatBytes);
  const bool in_place = call.x == call.y && call.x_stride == call.y_stride;
  if (Overlap(x, y) && !in_place) {
    return absl::InvalidArgumentError("y overlaps x: expected exactly x, or rows that do not meet it");
  }
  for (const Region& read : {x, gamma, beta}) {
    if (Overlap(mean, read) || Overlap(rstd, read))
      return absl::InvalidArgumentError("mean or rstd overlaps an input");
  }
  if (Overlap(y, gamma) || Overlap(y, beta)) return absl::InvalidArgumentError("y overlaps gamma or beta");
  if (Overlap(y, mean) || Overlap(y, rstd) || Overlap(mean, rstd)) {
    return absl::InvalidArgumentError("two of y, mean and rstd overlap");
  }
  return absl::OkStatus();
}

}  // namespace

LayerNorm::LayerNorm(const LayerNormParameters& parameters, float epsilon, const Kernels* kernels)
    : parameters_(parameters),
      epsilon_(epsilon),
      finite_parameters_(AllFinite(parameters.gamma) && AllFinite(parameters.beta)),
      kernels_(kernels) {}

absl::StatusOr<LayerNorm> LayerNorm::Create(const LayerNormParameters& parameters, const Target* target) {
  const int64_t hidden = parameters.hidden;
  if (hidden < 1)
    return absl::InvalidArgumentError(absl::StrCat("expected a hidden of at least 1, got ", hidden));
  if (auto status = CheckLength("gamma", parameters.gamma, hidden); !status.ok()) return status;
  if (auto status = CheckLength("beta", parameters.beta, hidden); !status.ok()) return status;
  const absl::StatusOr<float> epsilon = RoundEpsilon(parameters.epsilon);
  if (!epsilon.ok()) return epsilon.status();
  if (target == nullptr) {
    const absl::StatusOr<const Target*> chosen = DefaultTarget();
    if (!chosen.ok()) return chosen.status();
    target = *chosen;
  }
  return LayerNorm(parameters, *epsilon, target->kernels());
}

absl::Status LayerNorm::Run(const NormOperands& operands) const {
  const int64_t rows = operands.rows;
  const int64_t hidden = parameters_.hidden;
  if (rows < 0) return absl::InvalidArgumentError(absl::StrCat("expected rows of at least 0, got ", rows));
  const absl::StatusOr<int64_t> x_stride = StrideBytes("x", operands.x_stride, rows, hidden);
  if (!x_stride.ok()) return x_stride.status();
  const absl::StatusOr<int64_t> y_stride = StrideBytes("y", operands.y_stride, rows, hidden);
  if (!y_stride.ok()) return y_stride.status();
  if (rows == 0) return absl::OkStatus();
  if (operands.x == nullptr || operands.y == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", rows, " rows, got no address of ", operands.x == nullptr ? "x" : "y"));
  }
  const LayerNormCall call = {rows,
                              hidden,
                              static_cast<const std::byte*>(operands.x),
                              *x_stride,
                              static_cast<std::byte*>(operands.y),
                              *y_stride,
                              parameters_.gamma.empty() ? nullptr : parameters_.gamma.data(),
                              parameters_.beta.empty() ? nullptr : parameters_.beta.data(),
                              epsilon_,
                              operands.mean,
                              operands.rstd};
  if (auto status = CheckOverlap(call); !status.ok()) return status;
  const FloatEnvironment environment;
  kernels_->layer_norm(call);
  if (!finite_parameters_) CanonicalizeNans(call);
  return absl::OkStatus();
}

}  // namespace normd
