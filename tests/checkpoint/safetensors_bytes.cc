// SPDX-License-Identifier: Apache-2.0

#include "safetensors_bytes.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"

namespace normd {
namespace {

template <typename Value>
std::string BytesOf(const std::vector<Value>& values) {
  const char* bytes = reinterpret_cast<const char*>(values.data());
  return {bytes, bytes + values.size() * sizeof(Value)};
}

std::string Json(const std::string& text) { return nlohmann::json(text).dump(); }

}  // namespace

std::string RawSafetensors(uint64_t length, std::string_view header, std::string_view data) {
  return BytesOf<uint64_t>({length}) + std::string(header) + std::string(data);
}

std::string Safetensors(std::string_view header, std::string_view data) {
  return RawSafetensors(header.size(), header, data);
}

SafetensorsBuilder& SafetensorsBuilder::Metadata(const std::string& key, const std::string& value) {
  absl::StrAppend(&metadata_, metadata_.empty() ? "" : ",", Json(key), ":", Json(value));
  return *this;
}

SafetensorsBuilder& SafetensorsBuilder::Tensor(const std::string& name, const std::string& dtype,
                                               const std::vector<int64_t>& shape, std::string_view data) {
  const nlohmann::json entry = {
      {"dtype", dtype}, {"shape", shape}, {"data_offsets", {data_.size(), data_.size() + data.size()}}};
  absl::StrAppend(&entries_, ",", Json(name), ":", entry.dump());
  data_ += data;
  return *this;
}

SafetensorsBuilder& SafetensorsBuilder::F32(const std::string& name, const std::vector<float>& values) {
  return Tensor(name, "F32", {static_cast<int64_t>(values.size())}, BytesOf(values));
}

SafetensorsBuilder& SafetensorsBuilder::Halves(const std::string& name, const std::string& dtype,
                                               const std::vector<uint16_t>& bits) {
  return Tensor(name, dtype, {static_cast<int64_t>(bits.size())}, BytesOf(bits));
}

std::string SafetensorsBuilder::Bytes() const {
  return Safetensors(absl::StrCat("{\"__metadata__\":{", metadata_, "}", entries_, "}"), data_);
}

TemporaryFolder::TemporaryFolder() : path_(testing::TempDir() + "normd_checkpoint_XXXXXX") {
  EXPECT_NE(mkdtemp(path_.data()), nullptr);
}

TemporaryFolder::~TemporaryFolder() { std::filesystem::remove_all(path_); }

std::string TemporaryFolder::Write(const std::string& name, std::string_view bytes) const {
  const std::string path = path_ + "/" + name;
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  EXPECT_TRUE(file.good()) << path;
  return path;
}

}  // namespace normd
