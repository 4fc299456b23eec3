// SPDX-License-Identifier: Apache-2.0

#include "checkpoint_epsilon.h"

#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "checkpoint_file.h"

namespace normd {
namespace {

using Json = nlohmann::json;
using Metadata = std::map<std::string, std::string, std::less<>>;

// The longest in use name some 22,000 classes in about 2 MB; as a tree they take ten times that.
constexpr size_t kLongestConfig = 16U << 20;

constexpr const char* kLayerNormKeys[] = {"layer_norm_eps", "layer_norm_epsilon"};
constexpr const char* kRmsNormKeys[] = {"rms_norm_eps"};

// Written so that NaN fails. What float32 cannot hold would be infinite where it is used.
bool IsEpsilon(double value) { return value >= 0 && value <= std::numeric_limits<float>::max(); }

// A source answers Find(key) with the key's number: NaN where it stands there and is none, nothing where it
// does not.
class ConfigSource {
 public:
  explicit ConfigSource(const Json& config) : config_(config) {}

  std::optional<double> Find(const char* key) const {
    const auto value = config_.find(key);
    if (value == config_.end()) {
      return std::nullopt;
    }
    return value->is_number() ? value->get<double>() : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  const Json& config_;
};

class MetadataSource {
 public:
  explicit MetadataSource(const Metadata& metadata) : metadata_(metadata) {}

  std::optional<double> Find(const char* key) const {
    const auto text = metadata_.find(key);
    if (text == metadata_.end()) {
      return std::nullopt;
    }
    double value = 0;
    return absl::SimpleAtod(text->second, &value) ? value : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  const Metadata& metadata_;
};

// Sets `epsilon` by the first of `keys` that the source has, unless an earlier source has set it.
template <typename Source, size_t kCount>
absl::Status Take(const Source& source, const char* const (&keys)[kCount], std::optional<double>& epsilon) {
  for (const char* key : keys) {
    const std::optional<double> value = epsilon ? std::nullopt : source.Find(key);
    if (value && !IsEpsilon(*value)) {
      return absl::InvalidArgumentError(absl::StrCat(
          key, " is ", *value, ", expected a number that is finite in float32 and not negative"));
    }
    epsilon = value ? value : epsilon;
  }
  return absl::OkStatus();
}

template <typename Source>
absl::Status TakeAll(const Source& source, const std::string& path, CheckpointEpsilons& epsilons) {
  absl::Status status = Take(source, kLayerNormKeys, epsilons.layer_norm);
  if (status.ok()) {
    status = Take(source, kRmsNormKeys, epsilons.rms_norm);
  }
  return status.ok() ? status
                     : absl::Status(status.code(), absl::StrCat(Quoted(path), ": ", status.message()));
}

absl::StatusOr<Json> ReadConfig(const std::string& path) {
  const absl::StatusOr<MappedFile> file = MappedFile::Open(path);
  if (absl::IsNotFound(file.status())) {
    return Json::object();
  }
  if (!file.ok()) {
    return file.status();
  }
  const std::string_view text = file->bytes();
  if (text.size() > kLongestConfig) {
    return absl::InvalidArgumentError(
        absl::StrCat(Quoted(path), " has ", text.size(), " bytes, expected at most ", kLongestConfig));
  }
  Json config = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!config.is_object()) {
    return absl::InvalidArgumentError(absl::StrCat(Quoted(path), " is not a JSON object"));
  }
  return config;
}

}  // namespace

absl::StatusOr<CheckpointEpsilons> ReadEpsilons(const std::string& path, const Metadata& metadata) {
  const std::string config_path = std::filesystem::path(path).replace_filename("config.json");
  const absl::StatusOr<Json> config = ReadConfig(config_path);
  if (!config.ok()) {
    return config.status();
  }
  CheckpointEpsilons epsilons;
  absl::Status status = TakeAll(ConfigSource(*config), config_path, epsilons);
  if (status.ok()) {
    status = TakeAll(MetadataSource(metadata), path, epsilons);
  }
  return status.ok() ? absl::StatusOr<CheckpointEpsilons>(epsilons) : status;
}

}  // namespace normd
