// SPDX-License-Identifier: Apache-2.0
#include "layer_registry.h"

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace normd {

LayerRegistry::LayerRegistry(const Target* target) : target_(target) {
  auto built_in = std::make_unique<ServedLayer>();
  built_in->layer.name = "layer_norm";
  layers_.emplace(built_in->layer.name, std::move(built_in));
}

absl::Status LayerRegistry::Add(Layer layer) {
  auto served = std::make_unique<ServedLayer>();
  served->layer = std::move(layer);
  const Layer& kept = served->layer;
  if (kept.kind == NormKind::kLayerNorm) {
    auto norm =
        Norm::Create({.hidden = kept.hidden, .gamma = kept.gamma, .beta = kept.beta, .epsilon = kept.epsilon},
                     {.target = target_});
    if (!norm.ok()) return norm.status();
    served->norm = *norm;
  }
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
