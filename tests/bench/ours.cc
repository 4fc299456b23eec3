// SPDX-License-Identifier: Apache-2.0
#include "ours.h"

#include <oneapi/tbb/task_arena.h>

#include "normd/norm.h"
#include "normd/target.h"

namespace normd::bench {
namespace {

DataType DataTypeOf(Type type) {
  switch (type) {
    case Type::kFloat32:
      return DataType::kFloat32;
    case Type::kBfloat16:
      return DataType::kBfloat16;
    case Type::kFloat16:
      return DataType::kFloat16;
  }
  throw Unsupported("no such type");
}

Norm MakeNorm(const Target* target, const Cell& cell, const Buffers& buffers) {
  const size_t hidden = static_cast<size_t>(cell.hidden);
  NormParameters parameters;
  parameters.kind = cell.kind == Kind::kRms ? NormKind::kRmsNorm : NormKind::kLayerNorm;
  parameters.hidden = cell.hidden;
  parameters.gamma = {buffers.gamma, hidden};
  if (cell.kind != Kind::kRms) parameters.beta = {buffers.beta, hidden};
  parameters.epsilon = kEpsilon;
  NormOptions options;
  options.target = target;
  options.tasks = cell.threads;
  absl::StatusOr<Norm> norm = Norm::Create(parameters, options);
  if (!norm.ok()) throw Unsupported(std::string(norm.status().message()));
  return *std::move(norm);
}

NormOperands Operands(const Cell& cell, const Buffers& buffers) {
  NormOperands operands;
  operands.rows = cell.rows;
  operands.data_type = DataTypeOf(cell.type);
  operands.x.data = buffers.x;
  operands.y.data = buffers.y;
  if (cell.kind == Kind::kResidual) {
    operands.residual.data = buffers.residual;
    operands.residual_sum.data = buffers.sum;
  }
  return operands;
}

Call Prepare(const Target* target, const Cell& cell, const Buffers& buffers) {
  const Norm norm = MakeNorm(target, cell, buffers);
  const NormOperands operands = Operands(cell, buffers);
  NormOperands one_row = operands;
  one_row.rows = 1;
  if (const absl::Status status = norm.Run(one_row); !status.ok())
    throw Unsupported(std::string(status.message()));
  return {[norm, operands] { norm.Run(operands).IgnoreError(); }};
}

void Add(Contestants& contestants, std::string name, const Target* target) {
  contestants.push_back({.name = std::move(name),
                         .part = Part::kOurs,
                         .what = "normd::Norm::Run",
                         .prepare = [target](const Cell& cell, const Buffers& buffers) {
                           return Prepare(target, cell, buffers);
                         }});
}

}  // namespace

void AddOurs(Contestants& contestants) {
  // oneTBB counts the cores once, and this process is yet to be pinned to one.
  oneapi::tbb::this_task_arena::max_concurrency();
  Add(contestants, "ours", nullptr);
  for (const Target& target : AllTargets()) {
    if (target.runs_here()) Add(contestants, "ours " + std::string(target.name), &target);
  }
}

}  // namespace normd::bench
