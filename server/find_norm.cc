// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "batch.h"

namespace normd {
namespace {

absl::StatusOr<Norm> NotYet(const char* kind) {
  return absl::UnimplementedError(
      absl::StrCat("this release computes layer_norm; ", kind, " is not served yet"));
}

// The kind is an open enum on the wire: any number can come.
absl::StatusOr<Norm> RefuseKind(int32_t kind) {
  if (kind == static_cast<int32_t>(NormKind::kRmsNorm)) return NotYet("rms_norm");
  if (kind == static_cast<int32_t>(NormKind::kBatchNorm)) return NotYet("batch_norm");
  return absl::InvalidArgumentError(
      absl::StrCat("expected a kind from 1 (LAYER_NORM) to 3 (BATCH_NORM), got ", kind));
}

absl::StatusOr<Norm> InlineNorm(const wire::NormalizeRequest& request, const LayerRegistry& layers) {
  const wire::Parameters& given = request.parameters;
  if (given.kind != 0 && given.kind != static_cast<int32_t>(NormKind::kLayerNorm))
    return RefuseKind(given.kind);
  if (given.gamma_offset != 0 || !given.running_mean.empty() || !given.running_var.empty()) {
    return absl::InvalidArgumentError(
        "gamma_offset goes with RMS_NORM, running_mean and running_var with BATCH_NORM");
  }
  NormParameters parameters = {.hidden = request.hidden,
                               .gamma = given.gamma,
                               .beta = given.beta,
                               .epsilon = given.epsilon.value_or(1e-5)};
  if (request.hidden == 0) {
    parameters.hidden = static_cast<int64_t>(given.gamma.empty() ? given.beta.size() : given.gamma.size());
  }
  if (parameters.hidden == 0) return absl::InvalidArgumentError("expected a hidden of at least 1, got 0");
  return Norm::Create(parameters, {.target = layers.target()});
}

absl::StatusOr<Norm> NamedNorm(const wire::NormalizeRequest& request, const LayerRegistry& layers) {
  const ServedLayer* served = layers.Find(request.layer);
  if (served == nullptr) {
    return absl::NotFoundError(absl::StrCat("no layer \"", absl::CHexEscape(request.layer.substr(0, 128)),
                                            "\"; ListLayers names those there are"));
  }
  const Layer& layer = served->layer;
  if (layer.kind != NormKind::kLayerNorm) return RefuseKind(static_cast<int32_t>(layer.kind));
  if (!served->norm.has_value()) {
    return Norm::Create({.hidden = request.hidden, .epsilon = layer.epsilon}, {.target = layers.target()});
  }
  if (request.hidden != 0 && request.hidden != layer.hidden) {
    return absl::InvalidArgumentError(
        absl::StrCat("hidden: expected ", layer.hidden, " (that of the layer), got ", request.hidden));
  }
  return *served->norm;
}

}  // namespace

absl::StatusOr<Norm> FindNorm(const wire::NormalizeRequest& request, const LayerRegistry& layers) {
  if (request.has_parameters && !request.layer.empty()) {
    return absl::InvalidArgumentError("expected a layer or parameters, got both");
  }
  if (request.hidden < 0) {
    return absl::InvalidArgumentError(absl::StrCat("expected a hidden of at least 1, got ", request.hidden));
  }
  if (request.has_parameters) return InlineNorm(request, layers);
  if (!request.layer.empty()) return NamedNorm(request, layers);
  return absl::InvalidArgumentError("expected a layer or parameters, got neither");
}

}  // namespace normd
