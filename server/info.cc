// SPDX-License-Identifier: Apache-2.0
#include "info.h"

#include <string>

#include "batch.h"

namespace normd {

void ListLayers(const LayerRegistry& layers, v1::ListLayersResponse* response) {
  for (const auto& [name, served] : layers) {
    const Layer& layer = served->layer;
    v1::Layer* listed = response->add_layers();
    listed->set_name(name);
    listed->set_kind(static_cast<v1::Kind>(layer.kind));
    listed->set_hidden(layer.hidden);
    listed->set_epsilon(layer.epsilon);
    listed->set_has_gamma(!layer.gamma.empty());
    listed->set_has_beta(!layer.beta.empty());
    listed->set_parameter_type(static_cast<v1::DataType>(layer.parameter_type));
    listed->set_checkpoint(layer.checkpoint);
  }
}

void GetServerInfo(const LayerRegistry& layers, int64_t max_message_bytes,
                   v1::GetServerInfoResponse* response) {
  response->set_version(NORMD_VERSION);
  response->set_numerics_revision(kNumericsRevision);
  for (const Target& target : AllTargets()) {
    if (target.runs_here()) response->add_targets(std::string(target.name));
  }
  response->set_active_target(std::string(layers.target()->name));
  v1::Limits* limits = response->mutable_limits();
  limits->set_max_message_bytes(max_message_bytes);
  limits->set_max_sequences(wire::ReadLimits().max_sequences);
  limits->set_max_request_id_bytes(kMaxRequestIdBytes);
}

}  // namespace normd
