// SPDX-License-Identifier: Apache-2.0
#include "layer_registry.h"

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace normd {

LayerRegistry::LayerRegistry(const Target* target) : target_(target) {
  AddBuiltIn("layer_norm", NormKind::kLayerNorm);
  AddBuiltIn("rms_norm", NormKind::kRmsNorm);
}

void LayerRegistry::AddBuiltIn(const char* name, NormKind kind) {
  auto served = std::make_unique<ServedLayer>();
  served->layer.name = name;
  served->layer.kind = kind;
  layers_.emplace(name, std::move(served));
}

absl::Status LayerRegistry::Add(Layer layer) {
  auto served = std::make_unique<ServedLayer>();
  served->layer = std::move(layer);
  const Layer& kept = served->layer;
  auto norm = Norm::Create({.kind = kept.kind,
                            .hidden = kept.hidden,
                            .gamma = kept.gamma,
                            .beta = kept.beta,
                            .epsilon = kept.epsilon},
                           {.target = target_});
  if (!norm.ok()) return norm.status();
  served->norm = *std::move(norm);
  std::string name = kept.name;
  if (layers_.contains(name)) {
    return absl::AlreadyExistsError(
        absl::StrCat("there is a layer \"", absl::CHexEscape(name), "\" already"));
  }
  layers_.emplace(std::move(name), std::move(served));
  return absl::OkStatus();
}

const ServedLayer* LayerRegistry::Find(std::string_view name) const {
  const auto found = layers_.find(name);
  return found == layers_.end() ? nullptr : found->second.get();
}

}  // namespace normd
