// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "normalize.h"
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

Normalized RoomFor(const NormalizeTask& task) {
  const auto rows = static_cast<size_t>(RowsOf(task));
  Normalized result;
  result.tokens.resize(task.tokens.values.size());
  result.mean.resize(rows);
  result.rstd.resize(rows);
  result.hidden = task.hidden;
  result.token_counts = task.token_counts.empty() ? std::vector<int64_t>{RowsOf(task)} : task.token_counts;
  return result;
}

}  // namespace

absl::StatusOr<NormalizeOutcome> NormalizeLocally(const NormalizeTask& task) {
  const auto target = TargetOf(task);
  if (!target.ok()) return target.status();
  const auto layer = Norm::Create({.hidden = task.hidden, .gamma = {}, .beta = {}, .epsilon = task.epsilon},
                                  {.target = *target});
  if (!layer.ok()) return layer.status();
  const std::string_view name = (*target)->name;
  NormalizeOutcome outcome{
      .where = absl::StrCat("in this process, target ", absl::string_view(name.data(), name.size())),
      .result = RoomFor(task)};
  const absl::Status status = layer->Run({.rows = RowsOf(task),
                                          .x = {task.tokens.values.data()},
                                          .y = {outcome.result.tokens.data()},
                                          .mean = outcome.result.mean.data(),
                                          .rstd = outcome.result.rstd.data()});
  if (!status.ok()) return status;
  return outcome;
}

absl::StatusOr<NormalizeOutcome> NormalizeRemotely(const NormalizeTask& task) {
  const auto client = Client::Connect(task.address);
  if (!client.ok()) return client.status();
  Batch batch{.tokens = task.tokens.values,
              .hidden = task.hidden,
              .token_counts = task.token_counts,
              .layer = task.layer,
              .parameters = {.epsilon = task.epsilon, .gamma = {}, .beta = {}},
              .want_mean = true,
              .want_rstd = true,
              .request_id = {},
              .owner = {}};
  auto result = client->Normalize(batch);
  if (!result.ok()) return result.status();
  const CallTimings& timings = result->timings;
  const uint64_t call = timings.marshal + timings.wait + timings.unmarshal;
  return NormalizeOutcome{
      .where = absl::StrCat("by ", Printable(task.address), " in ", DurationText(call), ", ",
                            DurationText(timings.server_compute), " of it in the kernels"),
      .result = *std::move(result)};
}

}  // namespace normd
