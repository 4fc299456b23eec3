// SPDX-License-Identifier: Apache-2.0
#include "trial.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace normd {
namespace {

std::vector<float> Slice(const std::vector<float>& all, int64_t begin, int64_t size) {
  return all.empty() ? all : std::vector<float>(all.begin() + begin, all.begin() + begin + size);
}

bool Allowed(const Variant& v) {
  const bool layer = v.kind == NormKind::kLayerNorm;
  const bool rms = v.kind == NormKind::kRmsNorm;
  if (v.sum && !v.residual) return false;
  if (v.given && (v.mean || v.rstd)) return false;
  if (v.offset && !rms) return false;
  if (v.beta && rms) return false;
  if (v.mean && !layer) return false;
  return layer || rms || (!v.rstd && !v.given);
}

constexpr int kChoices = 8;  // the flags of a Variant

Variant Chosen(NormKind kind, DataType data_type, int choice) {
  const auto bit = [&](int i) { return (choice >> i & 1) != 0; };
  return {kind, data_type, bit(0), bit(1), bit(2), bit(3), bit(4), bit(5), bit(6), bit(7)};
}

// Beside each row another of any kind, so that sums cancel, overflow, stay and are NaN.
std::vector<float> ResidualRows(int64_t rows, int64_t hidden, Random& random, DataType data_type) {
  std::vector<float> all;
  for (int64_t r = 0; r < rows; ++r) {
    const auto kind = static_cast<RowKind>(random.Below(2) == 0 ? 0 : random.Below(kRowKinds));
    const std::vector<float> row = MakeRow(kind, hidden, random, data_type);
    all.insert(all.end(), row.begin(), row.end());
  }
  return all;
}

std::vector<float> Positive(std::vector<float> values) {
  for (float& value : values) value = value < 0 ? -value : value;
  return values;
}

Spot RandomSpot(Random& random) {
  return {.offset = static_cast<size_t>(random.Below(64)),
          .gap = random.Below(4) == 0 ? random.Below(40) : 0};
}

Place RandomPlace(const Trial& trial, Random& random) {
  const auto place = static_cast<Place>(random.Below(4) == 0 ? 1 + random.Below(2) : 0);
  return place == Place::kResidual && trial.residual.empty() ? Place::kX : place;
}

}  // namespace

std::vector<const Target*> TargetsHere() {
  std::vector<const Target*> here;
  for (const Target& target : AllTargets()) {
    if (target.runs_here()) here.push_back(&target);
  }
  return here;
}

const Target& Scalar() { return AllTargets().back(); }

std::vector<Variant> VariantsOf(NormKind kind, DataType data_type) {
  std::vector<Variant> all;
  for (int choice = 0; choice < 1 << kChoices; ++choice) {
    const Variant variant = Chosen(kind, data_type, choice);
    if (Allowed(variant)) all.push_back(variant);
  }
  return all;
}

std::vector<Variant> EveryVariant() {
  std::vector<Variant> all;
  for (const NormKind kind : kEveryKind) {
    for (const DataType data_type : kEveryDataType) {
      const std::vector<Variant> some = VariantsOf(kind, data_type);
      all.insert(all.end(), some.begin(), some.end());
    }
  }
  return all;
}

Variant FullVariant(NormKind kind, DataType data_type) {
  Variant full;
  for (const Variant& variant : VariantsOf(kind, data_type)) full = variant.given ? full : variant;
  return full;
}

std::string Describe(const Variant& v) {
  std::string text = absl::StrCat(std::string(NameOf(v.kind)), " ", std::string(NameOf(v.data_type)));
  const std::pair<bool, const char*> flags[] = {
      {v.gamma, " gamma"}, {v.beta, " beta"}, {v.offset, " offset"}, {v.residual, " residual"},
      {v.sum, " sum"},     {v.mean, " mean"}, {v.rstd, " rstd"},     {v.given, " given"}};
  for (const auto& [set, name] : flags) text += set ? name : "";
  return text;
}

OwnedParameters MakeParameters(const Variant& variant, int64_t hidden, Random& random) {
  OwnedParameters parameters{.kind = variant.kind};
  if (variant.gamma) parameters.gamma = ParameterRow(hidden, 1, random);
  if (variant.beta) parameters.beta = ParameterRow(hidden, 0, random);
  if (variant.offset) parameters.gamma_offset = 1;
  if (variant.kind == NormKind::kBatchNorm) {
    parameters.running_mean = ParameterRow(hidden, 0, random);
    parameters.running_var = Positive(ParameterRow(hidden, 1, random));
  }
  return parameters;
}

Trial MakeTrial(const Variant& variant, int64_t rows, int64_t hidden, Random& random, int first_kind) {
  Trial trial{.parameters = MakeParameters(variant, hidden, random),
              .data_type = variant.data_type,
              .hidden = hidden,
              .x = MixedRows(rows, hidden, random, variant.data_type, first_kind),
              .wants_sum = variant.sum,
              .wants_mean = variant.mean,
              .wants_rstd = variant.rstd};
  if (variant.residual) trial.residual = ResidualRows(rows, hidden, random, variant.data_type);
  if (!variant.given) return trial;
  trial.given_rstd = Positive(ParameterRow(rows, 1, random));
  if (variant.kind == NormKind::kLayerNorm) trial.given_mean = ParameterRow(rows, 0, random);
  return trial;
}

Trial RowOf(const Trial& trial, int64_t row) {
  Trial one = trial;
  one.x = Slice(trial.x, row * trial.hidden, trial.hidden);
  one.residual = Slice(trial.residual, row * trial.hidden, trial.hidden);
  one.given_mean = Slice(trial.given_mean, row, 1);
  one.given_rstd = Slice(trial.given_rstd, row, 1);
  return one;
}

std::string Describe(const Layout& layout) {
  const auto spot = [](const char* name, const Spot& s) {
    return absl::StrCat(name, " +", s.offset, " gap ", s.gap, ", ");
  };
  return absl::StrCat(spot("x", layout.x), spot("residual", layout.residual), spot("y", layout.y),
                      spot("sum", layout.sum), "y at place ", static_cast<int>(layout.y_place),
                      ", sum at place ", static_cast<int>(layout.sum_place), ", streaming from ",
                      layout.streaming_bytes.value_or(-1));
}

Layout RandomLayout(const Trial& trial, Random& random) {
  Layout layout{.x = RandomSpot(random),
                .residual = RandomSpot(random),
                .y = RandomSpot(random),
                .sum = RandomSpot(random),
                .y_place = RandomPlace(trial, random),
                .sum_place = RandomPlace(trial, random),
                .tasks = static_cast<int>(1 + random.Below(3))};
  // Two outputs at one place overlap.
  if (trial.wants_sum && layout.y_place == layout.sum_place) layout.sum_place = Place::kOwn;
  if (random.Below(4) == 0) layout.streaming_bytes = 0;
  return layout;
}

}  // namespace normd
