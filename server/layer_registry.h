// SPDX-License-Identifier: Apache-2.0
#ifndef NORMD_SERVER_LAYER_REGISTRY_H_
#define NORMD_SERVER_LAYER_REGISTRY_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "layer.h"
#include "normd/norm.h"

namespace normd {

// A layer and its norm, prepared once where hidden is fixed.
struct ServedLayer {
  Layer layer;
  std::optional<Norm> norm;  // views layer's gamma and beta
};

// The layers that requests can name. Filled before the server starts and only read afterwards.
class LayerRegistry {
 public:
  // Holds the built-in layers, `layer_norm` and `rms_norm`: without gain, of any hidden.
  explicit LayerRegistry(const Target* target);

  // Errors: AlreadyExists for a name that is taken, and those of Norm::Create.
  absl::Status Add(Layer layer);

  // Null where there is none of that name.
  const ServedLayer* Find(std::string_view name) const;

  const Target* target() const { return target_; }
  size_t size() const { return layers_.size(); }
  auto begin() const { return layers_.begin(); }  // by name
  auto end() const { return layers_.end(); }

 private:
  void AddBuiltIn(const char* name, NormKind kind);

  const Target* target_;
  std::map<std::string, std::unique_ptr<ServedLayer>, std::less<>> layers_;
};

}  // namespace normd

#endif  // NORMD_SERVER_LAYER_REGISTRY_H_
