// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "command.h"
#include "normalize.h"
#include "normd/convert.h"
#include "normd/norm.h"
#include "normd/target.h"
#include "text.h"

namespace normd {
namespace {

int64_t RowsOf(const NormalizeTask& task) {
  return task.hidden == 0 ? 0 : static_cast<int64_t>(task.tokens.values.size()) / task.hidden;
}

absl::StatusOr<const Target*> TargetOf(const NormalizeTask& task) {
  return task.target.empty() ? DefaultTarget() : SelectTarget(task.target);
}

// Values as they are sent and computed: floats themselves, or rounded to 16 bits.
class Stored {
 public:
  Stored(const std::vector<float>& values, DataType data_type) : floats_(values) {
    if (data_type == DataType::kFloat32) return;
    halves_.resize(values.size());
    RoundFloats(values, data_type, halves_.data());
  }
  Values view() const { return halves_.empty() ? Values(floats_) : Values(halves_); }
  const void* data() const { return view().bytes().data(); }

 private:
  const std::vector<float>& floats_;
  std::vector<uint16_t> halves_;
};

void WidenInto(const std::vector<uint16_t>& halves, DataType data_type, std::vector<float>* floats) {
  floats->resize(halves.size());
  WidenToFloats(halves.data(), data_type, *floats);
}

// What is shown and written are floats.
Normalized Widened(Normalized result, DataType data_type) {
  if (data_type == DataType::kFloat32) return result;
  WidenInto(result.half_tokens, data_type, &result.tokens);
  WidenInto(result.half_residual_sum, data_type, &result.residual_sum);
  return result;
}

Normalized RoomFor(const NormalizeTask& task) {
  const auto rows = static_cast<size_t>(RowsOf(task));
  const size_t values = task.tokens.values.size();
  const size_t sums = task.residual_sum_output.empty() ? 0 : values;
  const bool is_float = task.data_type == DataType::kFloat32;
  Normalized result;
  result.tokens.resize(is_float ? values : 0);
  result.residual_sum.resize(is_float ? sums : 0);
  result.half_tokens.resize(is_float ? 0 : values);
  result.half_residual_sum.resize(is_float ? 0 : sums);
  result.mean.resize(task.kind == NormKind::kLayerNorm ? rows : 0);
  result.rstd.resize(rows);
  result.hidden = task.hidden;
  result.token_counts = task.token_counts.empty() ? std::vector<int64_t>{RowsOf(task)} : task.token_counts;
  return result;
}

template <class Value>
Value* DataOrNull(std::vector<Value>& values) {
  return values.empty() ? nullptr : values.data();
}

absl::Status RunInto(const Norm& norm, const NormalizeTask& task, Normalized* result) {
  const Stored tokens(task.tokens.values, task.data_type);
  const Stored residual(task.residual, task.data_type);
  const bool is_float = task.data_type == DataType::kFloat32;
  NormOperands operands;
  operands.rows = RowsOf(task);
  operands.data_type = task.data_type;
  operands.x.data = tokens.data();
  if (!task.residual.empty()) operands.residual.data = residual.data();
  operands.y.data = is_float ? static_cast<void*>(result->tokens.data()) : result->half_tokens.data();
  operands.residual_sum.data =
      is_float ? static_cast<void*>(DataOrNull(result->residual_sum)) : DataOrNull(result->half_residual_sum);
  operands.mean = DataOrNull(result->mean);
  operands.rstd = result->rstd.data();
  return norm.Run(operands);
}

// Whether the layer has means to ask for. One that is not listed is refused once it is used.
absl::StatusOr<bool> HasMean(const Client& client, const NormalizeTask& task) {
  if (task.layer.empty()) return task.kind == NormKind::kLayerNorm;
  if (task.layer == "layer_norm" || task.layer == "rms_norm") return task.layer == "layer_norm";
  const auto layers = client.ListLayers();
  if (!layers.ok()) return layers.status();
  return std::ranges::none_of(*layers, [&](const LayerInfo& layer) {
    return layer.name == task.layer && layer.kind != "layer_norm";
  });
}

}  // namespace

absl::StatusOr<NormalizeOutcome> NormalizeLocally(const NormalizeTask& task) {
  const auto target = TargetOf(task);
  if (!target.ok()) return target.status();
  NormParameters parameters;
  parameters.kind = task.kind;
  parameters.hidden = task.hidden;
  parameters.epsilon = task.epsilon;
  parameters.gamma_offset = task.gamma_offset;
  const auto norm = Norm::Create(parameters, {.target = *target});
  if (!norm.ok()) return norm.status();
  Normalized result = RoomFor(task);
  if (const absl::Status status = RunInto(*norm, task, &result); !status.ok()) return status;
  const std::string_view name = (*target)->name;
  return NormalizeOutcome{
      .where = absl::StrCat("in this process, target ", absl::string_view(name.data(), name.size())),
      .result = Widened(std::move(result), task.data_type)};
}

absl::StatusOr<NormalizeOutcome> NormalizeRemotely(const NormalizeTask& task) {
  const auto client = Connect({task.address, task.security});
  if (!client.ok()) return client.status();
  const auto has_mean = HasMean(*client, task);
  if (!has_mean.ok()) return has_mean.status();
  const Stored tokens(task.tokens.values, task.data_type);
  const Stored residual(task.residual, task.data_type);
  Batch batch;
  batch.tokens = tokens.view();
  batch.hidden = task.hidden;
  batch.token_counts = task.token_counts;
  batch.layer = task.layer;
  batch.parameters.kind = task.kind;
  batch.parameters.epsilon = task.epsilon;
  batch.parameters.gamma_offset = task.gamma_offset;
  batch.want_mean = *has_mean;
  batch.want_rstd = true;
  batch.data_type = task.data_type;
  batch.residual = residual.view();
  batch.want_residual_sum = !task.residual_sum_output.empty();
  auto result = client->Normalize(batch);
  if (!result.ok()) return result.status();
  const CallTimings& timings = result->timings;
  const uint64_t call = timings.marshal + timings.wait + timings.unmarshal;
  std::string where = absl::StrCat("by ", Printable(task.address), " in ", DurationText(call), ", ",
                                   DurationText(timings.server_compute), " of it in the kernels");
  return NormalizeOutcome{.where = std::move(where), .result = Widened(*std::move(result), task.data_type)};
}

}  // namespace normd
