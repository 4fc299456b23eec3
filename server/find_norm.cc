// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "batch.h"

namespace normd {
namespace {

// The length of the first array there is, or 0.
size_t HiddenOf(const wire::Parameters& given) {
  for (const auto* values : {&given.gamma, &given.beta, &given.running_mean, &given.running_var}) {
    if (!values->empty()) return values->size();
  }
  return 0;
}

// Whether the tokens can be a row of `hidden` at all.
bool HoldsARow(const wire::NormalizeRequest& request, int64_t hidden) {
  constexpr uint64_t kFewestBytes = 2;  // of a value
  const uint64_t bytes =
      request.data.has_value() ? request.data->size : request.values.size() * sizeof(float);
  return static_cast<uint64_t>(hidden) <= bytes / kFewestBytes;
}

// The kind is an open enum on the wire: any number can come, and Norm refuses those that are none.
absl::StatusOr<Norm> InlineNorm(const wire::NormalizeRequest& request, const LayerRegistry& layers) {
  const wire::Parameters& given = request.parameters;
  NormParameters parameters = {.kind = given.kind == 0 ? NormKind::kLayerNorm : NormKind{given.kind},
                               .hidden = request.hidden,
                               .gamma = given.gamma,
                               .beta = given.beta,
                               .epsilon = given.epsilon.value_or(1e-5),
                               .gamma_offset = given.gamma_offset,
                               .running_mean = given.running_mean,
                               .running_var = given.running_var};
  if (request.hidden == 0) parameters.hidden = static_cast<int64_t>(HiddenOf(given));
  // An offset without a gamma has Norm make an array of hidden floats. Where there is no row to use it,
  // hidden alone must not ask for that memory.
  if (std::isfinite(given.gamma_offset) && given.gamma.empty() && parameters.kind == NormKind::kRmsNorm &&
      !HoldsARow(request, parameters.hidden)) {
    parameters.gamma_offset = 0;
  }
  return Norm::Create(parameters, {.target = layers.target()});
}

absl::StatusOr<Norm> NamedNorm(const wire::NormalizeRequest& request, const LayerRegistry& layers) {
  const ServedLayer* served = layers.Find(request.layer);
  if (served == nullptr) {
    return absl::NotFoundError(absl::StrCat("no layer \"", absl::CHexEscape(request.layer.substr(0, 128)),
                                            "\"; ListLayers names those there are"));
  }
  const Layer& layer = served->layer;
  if (!served->norm.has_value()) {
    return Norm::Create({.kind = layer.kind, .hidden = request.hidden, .epsilon = layer.epsilon},
                        {.target = layers.target()});
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
