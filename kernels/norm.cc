// SPDX-License-Identifier: Apache-2.0
#include "normd/norm.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "float_environment.h"
#include "kernels.h"
#include "normd/machine.h"
#include "operands.h"
#include "parallel.h"
#include "regime.h"
#include "rescue.h"

namespace normd {

struct Norm::Owned {
  std::vector<float> gamma;
  std::vector<float> beta;
  std::vector<float> scale;
};

namespace {

absl::Status CheckLength(const char* name, std::span<const float> values, int64_t hidden) {
  if (values.empty() || static_cast<int64_t>(values.size()) == hidden) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, " has ", values.size(), " values; hidden is ", hidden));
}

absl::Status CheckLengths(const NormParameters& parameters) {
  const int64_t hidden = parameters.hidden;
  if (hidden < 1)
    return absl::InvalidArgumentError(absl::StrCat("expected a hidden of at least 1, got ", hidden));
  if (auto status = CheckLength("gamma", parameters.gamma, hidden); !status.ok()) return status;
  if (auto status = CheckLength("beta", parameters.beta, hidden); !status.ok()) return status;
  if (auto status = CheckLength("running_mean", parameters.running_mean, hidden); !status.ok()) return status;
  return CheckLength("running_var", parameters.running_var, hidden);
}

absl::Status CheckKind(const NormParameters& parameters) {
  const bool rms = parameters.kind == NormKind::kRmsNorm;
  const bool batch = parameters.kind == NormKind::kBatchNorm;
  if (!rms && !batch && parameters.kind != NormKind::kLayerNorm) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a kind from 1 (layer_norm) to 3 (batch_norm), got ",
                     static_cast<int32_t>(parameters.kind)));
  }
  if (rms && !parameters.beta.empty()) return absl::InvalidArgumentError("rms_norm takes no beta");
  if (!rms && parameters.gamma_offset != 0) {
    return absl::InvalidArgumentError("gamma_offset goes with rms_norm alone");
  }
  if (!batch && !(parameters.running_mean.empty() && parameters.running_var.empty())) {
    return absl::InvalidArgumentError("running_mean and running_var go with batch_norm alone");
  }
  if (batch && (parameters.running_mean.empty() || parameters.running_var.empty())) {
    return absl::InvalidArgumentError(
        absl::StrCat("batch_norm needs running_mean and running_var of ", parameters.hidden, " values each"));
  }
  return absl::OkStatus();
}

// The float32 epsilon, or why there is none. A double above float's range would round to infinity.
absl::StatusOr<float> RoundEpsilon(double epsilon) {
  const float rounded = static_cast<float>(epsilon);
  if (epsilon >= 0 && rounded <= std::numeric_limits<float>::max()) return rounded;
  return absl::InvalidArgumentError(
      absl::StrCat("expected an epsilon that is finite and not negative, got ", epsilon));
}

absl::Status CheckValues(const NormParameters& parameters) {
  if (!std::isfinite(parameters.gamma_offset)) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a finite gamma_offset, got ", parameters.gamma_offset));
  }
  for (size_t i = 0; i < parameters.running_var.size(); ++i) {
    if (!(parameters.running_var[i] >= 0)) {
      return absl::InvalidArgumentError(absl::StrCat("expected a running_var that is not negative, got ",
                                                     parameters.running_var[i], " at ", i));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckOptions(const NormOptions& options) {
  if (options.tasks < 1)
    return absl::InvalidArgumentError(absl::StrCat("expected tasks of at least 1, got ", options.tasks));
  if (options.streaming_bytes.value_or(0) < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected streaming_bytes of at least 0, got ", *options.streaming_bytes));
  }
  return absl::OkStatus();
}

bool AllFinite(std::span<const float> values) {
  return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
}

const float* DataOf(std::span<const float> values) { return values.empty() ? nullptr : values.data(); }

// offset + each value, with NaNs canonical: the rounding to bfloat16 asks for it.
std::vector<float> Offset(std::span<const float> values, float offset) {
  std::vector<float> sums(values.size());
  std::ranges::transform(values, sums.begin(), [offset](float value) {
    const float sum = offset + value;
    return std::isnan(sum) ? std::numeric_limits<float>::quiet_NaN() : sum;
  });
  return sums;
}

std::vector<float> FeatureScales(const NormParameters& parameters, float epsilon) {
  std::vector<float> scales(static_cast<size_t>(parameters.hidden));
  for (size_t i = 0; i < scales.size(); ++i) {
    const double sum = static_cast<double>(parameters.running_var[i]) + static_cast<double>(epsilon);
    const double gamma = parameters.gamma.empty() ? 1.0 : static_cast<double>(parameters.gamma[i]);
    scales[i] = static_cast<float>(gamma / std::sqrt(sum));
  }
  return scales;
}

// Whether float holds each scale to its full precision. A gamma of 0 is taken for one that it does not: its
// scale looks like one that underflowed.
bool AllNormal(std::span<const float> scales) {
  return std::ranges::all_of(scales, [](float scale) { return std::isnormal(scale); });
}

Formula FormulaOf(NormKind kind, const NormOperands& operands) {
  const bool given = operands.given_rstd != nullptr;
  if (kind == NormKind::kBatchNorm) return Formula::kBatch;
  if (kind == NormKind::kRmsNorm) return given ? Formula::kGivenRms : Formula::kRms;
  return given ? Formula::kGivenLayer : Formula::kLayer;
}

int64_t BytesMoved(const NormCall& call, int64_t value_bytes) {
  const int64_t arrays =
      2 + (call.residual.data != nullptr ? 1 : 0) + (call.residual_sum.data != nullptr ? 1 : 0);
  return call.rows * call.hidden * value_bytes * arrays;
}

}  // namespace

absl::StatusOr<Norm> Norm::Create(const NormParameters& parameters, const NormOptions& options) {
  const FloatEnvironment environment;
  if (auto status = CheckLengths(parameters); !status.ok()) return status;
  if (auto status = CheckKind(parameters); !status.ok()) return status;
  if (auto status = CheckValues(parameters); !status.ok()) return status;
  if (auto status = CheckOptions(options); !status.ok()) return status;
  absl::StatusOr<Plan> plan = Prepare(parameters, options);
  if (!plan.ok()) return plan.status();
  return Norm(*std::move(plan));
}

absl::StatusOr<Norm::Plan> Norm::Prepare(const NormParameters& parameters, const NormOptions& options) {
  const absl::StatusOr<float> epsilon = RoundEpsilon(parameters.epsilon);
  if (!epsilon.ok()) return epsilon.status();
  const absl::StatusOr<const Target*> target =
      options.target != nullptr ? absl::StatusOr<const Target*>(options.target) : DefaultTarget();
  if (!target.ok()) return target.status();
  Plan plan = {};
  plan.kind = parameters.kind;
  plan.hidden = parameters.hidden;
  plan.inverse_hidden = 1.0 / static_cast<double>(parameters.hidden);
  plan.most_plain_rows = std::numeric_limits<int64_t>::max() / 16 / parameters.hidden;
  plan.epsilon = *epsilon;
  plan.gamma = DataOf(parameters.gamma);
  plan.beta = DataOf(parameters.beta);
  plan.finite = AllFinite(parameters.gamma) && AllFinite(parameters.beta);
  plan.kernels = (*target)->kernels();
  plan.tasks = options.tasks;
  static const int64_t far_bytes = SecondLevelCacheBytes();
  plan.far_bytes = far_bytes;
  plan.streaming_bytes =
      options.streaming_bytes.has_value() ? *options.streaming_bytes : DefaultStreamingBytes();
  OwnArrays(parameters, plan);
  return plan;
}

void Norm::OwnArrays(const NormParameters& parameters, Plan& plan) {
  const bool batch = parameters.kind == NormKind::kBatchNorm;
  if (plan.finite && parameters.gamma_offset == 0 && !batch) return;
  auto owned = std::make_shared<Owned>();
  const std::vector<float> ones(parameters.gamma.empty() ? static_cast<size_t>(parameters.hidden) : 0, 1.0F);
  owned->gamma = Offset(parameters.gamma.empty() ? ones : parameters.gamma, parameters.gamma_offset);
  owned->beta = Offset(parameters.beta, 0);
  plan.gamma = owned->gamma.data();
  plan.beta = DataOf(owned->beta);
  plan.finite = AllFinite(owned->gamma) && AllFinite(owned->beta);
  if (batch) {
    owned->scale = FeatureScales(parameters, plan.epsilon);
    plan.feature_mean = parameters.running_mean.data();
    plan.feature_var = parameters.running_var.data();
    plan.feature_scale = owned->scale.data();
    plan.wide = !plan.finite || !AllNormal(owned->scale) || !AllFinite(parameters.running_mean) ||
                !AllFinite(parameters.running_var);
  }
  plan.owned = std::move(owned);
}

absl::Status Norm::Run(const NormOperands& operands) const {
  NormCall call = {};
  call.hidden = plan_.hidden;
  call.inverse_hidden = plan_.inverse_hidden;
  call.epsilon = plan_.epsilon;
  call.gamma = plan_.gamma;
  call.beta = plan_.beta;
  if (plan_.feature_mean != nullptr || !FillPlainOperands(operands, plan_.most_plain_rows, call)) {
    call.feature_mean = plan_.feature_mean;
    call.feature_var = plan_.feature_var;
    call.feature_scale = plan_.feature_scale;
    if (auto status = FillOperands(operands, plan_.kind, call); !status.ok() || call.rows == 0) return status;
  }
  const int64_t bytes = BytesMoved(call, BytesOf(operands.data_type));
  call.far = bytes > plan_.far_bytes;
  call.streaming = bytes > plan_.streaming_bytes;
  const int parts = plan_.tasks == 1 ? 1 : PartsOf(bytes, call.rows, plan_.tasks);
  if (parts == 1) {
    RunPart(FormulaOf(plan_.kind, operands), operands.data_type, call);
  } else {
    RunParts(call, parts, [&](const NormCall& part) {
      RunPart(FormulaOf(plan_.kind, operands), operands.data_type, part);
    });
  }
  return absl::OkStatus();
}

void Norm::RunPart(Formula formula, DataType data_type, const NormCall& part) const {
  const FloatEnvironment environment;
  const int type = static_cast<int>(data_type) - 1;
  if (plan_.wide) return RescueRows(formula, type, part);
  plan_.kernels->functions[static_cast<int>(formula)][type](part);
  if (!plan_.finite) CanonicalizeNans(type, part);
}

}  // namespace normd
