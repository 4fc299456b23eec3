// SPDX-License-Identifier: Apache-2.0

#include "checkpoint.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "checkpoint_epsilon.h"
#include "checkpoint_file.h"
#include "safetensors.h"

namespace normd {
namespace {

constexpr double kDefaultEpsilon = 1e-5;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsCheckpointName(std::string_view name) {
  const auto allowed = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-';
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), allowed);
}

// GPT-2's ln_1 and ln_f are norms; the "ln" of "lnk" is not.
bool IsNormName(std::string_view part) {
  const std::string lower = absl::AsciiStrToLower(absl::string_view(part.data(), part.size()));
  if (lower.find("norm") != std::string::npos) {
    return true;
  }
  return lower.starts_with("ln") && (lower.size() == 2 || lower[2] == '_' || IsDigit(lower[2]));
}

// The STEM of a gamma's name, where its last part is a norm's.
std::optional<std::string_view> NormStem(std::string_view tensor) {
  if (!tensor.ends_with(".weight") && !tensor.ends_with(".gamma")) {
    return std::nullopt;
  }
  const std::string_view stem = tensor.substr(0, tensor.rfind('.'));
  const size_t dot = stem.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? stem : stem.substr(dot + 1);
  return IsNormName(last) ? std::optional(stem) : std::nullopt;
}

DataType StoredType(std::string_view dtype) {
  if (dtype == "F16") {
    return DataType::kFloat16;
  }
  return dtype == "BF16" ? DataType::kBfloat16 : DataType::kFloat32;
}

// Reads the layers of one file.
class CheckpointReader {
 public:
  CheckpointReader(std::string_view name, const std::string& path, const SafetensorsFile& file,
                   const CheckpointEpsilons& epsilons)
      : name_(name), path_(path), file_(file), epsilons_(epsilons) {}

  absl::StatusOr<std::vector<Layer>> Read() const {
    std::vector<Layer> layers;
    for (const auto& [tensor, entry] : file_.tensors()) {
      const std::optional<std::string_view> stem = NormStem(tensor);
      if (!stem || !IsServed(*stem, tensor, entry)) {
        continue;
      }
      absl::StatusOr<Layer> layer = ReadLayer(std::string(*stem), tensor, entry);
      if (!layer.ok()) {
        return layer.status();
      }
      layers.push_back(*std::move(layer));
    }
    if (layers.empty()) {
      return Error(absl::StrCat("no norm layer among its ", file_.tensors().size(), " tensors"));
    }
    return layers;
  }

 private:
  bool IsServed(std::string_view stem, const std::string& tensor, const TensorEntry& entry) const {
    if (entry.shape.size() != 1) {
      return false;
    }
    if (file_.tensors().contains(
            absl::StrCat(absl::string_view(stem.data(), stem.size()), ".running_mean"))) {
      spdlog::info("{}: left out {}, a batch norm", Quoted(path_), Quoted(stem));
      return false;
    }
    if (!IsFloatDtype(entry.dtype)) {
      spdlog::warn("{}: left out {}, whose gamma is {}, not F32, F16 or BF16", Quoted(path_), Quoted(tensor),
                   Quoted(entry.dtype));
      return false;
    }
    return true;
  }

  absl::StatusOr<Layer> ReadLayer(const std::string& stem, const std::string& tensor,
                                  const TensorEntry& entry) const {
    Layer layer;
    layer.name = absl::StrCat(name_, "/", stem);
    layer.checkpoint = name_;
    layer.hidden = entry.shape[0];
    layer.parameter_type = StoredType(entry.dtype);
    if (layer.hidden == 0) {
      return Error(absl::StrCat("tensor ", Quoted(tensor), " has no values"));
    }
    if (tensor.ends_with(".gamma") && file_.tensors().contains(stem + ".weight")) {
      return Error(absl::StrCat(Quoted(stem), " has both a weight and a gamma, expected one"));
    }
    absl::StatusOr<std::vector<float>> gamma = file_.ReadFloats(tensor);
    absl::StatusOr<std::vector<float>> beta = ReadBeta(stem, layer.hidden);
    if (!gamma.ok() || !beta.ok()) {
      return gamma.ok() ? beta.status() : gamma.status();
    }
    layer.gamma = *std::move(gamma);
    layer.beta = *std::move(beta);
    SetKind(layer);
    return layer;
  }

  // Empty where there is none.
  absl::StatusOr<std::vector<float>> ReadBeta(const std::string& stem, int64_t hidden) const {
    auto beta = file_.tensors().find(stem + ".bias");
    if (beta == file_.tensors().end()) {
      beta = file_.tensors().find(stem + ".beta");
    }
    if (beta == file_.tensors().end()) {
      return std::vector<float>();
    }
    const std::vector<int64_t>& shape = beta->second.shape;
    if (shape.size() != 1 || shape[0] != hidden) {
      return Error(absl::StrCat("tensor ", Quoted(beta->first), ": expected [", hidden,
                                "], as gamma is, got [", absl::StrJoin(shape, ", "), "]"));
    }
    return file_.ReadFloats(beta->first);
  }

  void SetKind(Layer& layer) const {
    const bool rms = layer.beta.empty() && epsilons_.rms_norm;
    layer.kind = rms ? NormKind::kRmsNorm : NormKind::kLayerNorm;
    layer.epsilon = (rms ? epsilons_.rms_norm : epsilons_.layer_norm).value_or(kDefaultEpsilon);
  }

  absl::Status Error(const std::string& what) const {
    return absl::InvalidArgumentError(absl::StrCat(Quoted(path_), ": ", what));
  }

  const std::string name_;
  const std::string& path_;
  const SafetensorsFile& file_;
  const CheckpointEpsilons& epsilons_;
};

bool UsesDefaultEpsilon(const std::vector<Layer>& layers, const CheckpointEpsilons& epsilons) {
  const auto is_layer_norm = [](const Layer& layer) { return layer.kind == NormKind::kLayerNorm; };
  return !epsilons.layer_norm && std::any_of(layers.begin(), layers.end(), is_layer_norm);
}

}  // namespace

absl::StatusOr<std::vector<Layer>> LoadCheckpoint(std::string_view name, const std::string& path) {
  if (!IsCheckpointName(name)) {
    return absl::InvalidArgumentError(absl::StrCat("a checkpoint's name is ", Quoted(name),
                                                   ", expected letters, digits, '_', '.' and '-'"));
  }
  const absl::StatusOr<SafetensorsFile> file = SafetensorsFile::Open(path);
  if (!file.ok()) {
    return file.status();
  }
  const absl::StatusOr<CheckpointEpsilons> epsilons = ReadEpsilons(path, file->metadata());
  if (!epsilons.ok()) {
    return epsilons.status();
  }
  absl::StatusOr<std::vector<Layer>> layers = CheckpointReader(name, path, *file, *epsilons).Read();
  if (layers.ok() && UsesDefaultEpsilon(*layers, *epsilons)) {
    spdlog::warn("{}: neither config.json beside it nor its metadata has a layer_norm_eps; taking {}",
                 Quoted(path), kDefaultEpsilon);
  }
  return layers;
}

}  // namespace normd
