// SPDX-License-Identifier: Apache-2.0
#include "ours.h"

#include "normd/norm.h"
#include "normd/target.h"

namespace normd::bench {
namespace {

Call Prepare(const Target* target, const Cell& cell, const Buffers& buffers) {
  if (cell.kind != Kind::kPlain || cell.type != Type::kFloat32 || cell.threads != 1) {
    throw Unsupported("not in this library yet");
  }
  LayerNormParameters parameters;
  parameters.hidden = cell.hidden;
  parameters.gamma = {buffers.gamma, static_cast<size_t>(cell.hidden)};
  parameters.beta = {buffers.beta, static_cast<size_t>(cell.hidden)};
  parameters.epsilon = kEpsilon;
  const absl::StatusOr<LayerNorm> norm = LayerNorm::Create(parameters, target);
  if (!norm.ok()) throw Unsupported(std::string(norm.status().message()));
  NormOperands operands;
  operands.rows = cell.rows;
  operands.x = buffers.x;
  operands.y = buffers.y;
  return {[norm = *norm, operands] { norm.Run(operands).IgnoreError(); }};
}

void Add(Contestants& contestants, std::string name, const Target* target) {
  contestants.push_back({.name = std::move(name),
                         .part = Part::kOurs,
                         .what = "normd::LayerNorm::Run",
                         .prepare = [target](const Cell& cell, const Buffers& buffers) {
                           return Prepare(target, cell, buffers);
                         }});
}

}  // namespace

void AddOurs(Contestants& contestants) {
  Add(contestants, "ours", nullptr);
  for (const Target& target : AllTargets()) {
    if (target.runs_here()) Add(contestants, "ours " + std::string(target.name), &target);
  }
}

}  // namespace normd::bench
