// SPDX-License-Identifier: Apache-2.0
//
// A real model's layers and real tokens: what tests/data/minilm/README.md describes.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "checkpoint.h"
#include "harness.h"
#include "normd/norm.h"
#include "reference.h"

namespace normd {
namespace {

constexpr int64_t kHidden = 384;
constexpr int64_t kRows = 21;

std::string DataPath(const std::string& name) { return std::string(NORMD_MINILM_DATA) + "/" + name; }

// The values of a .npy file of float32 [kRows, kHidden]. They are the file's last bytes.
std::vector<float> ReadRows(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(DataPath(name), std::ios::binary).rdbuf();
  const std::string bytes = text.str();
  std::vector<float> values(kRows * kHidden);
  const size_t size = values.size() * sizeof(float);
  if (bytes.size() < size || bytes.find("(21, 384,)") == std::string::npos ||
      bytes.find("'<f4'") == std::string::npos) {
    ADD_FAILURE() << name << " is not float32 [21, 384]";
    return values;
  }
  std::memcpy(values.data(), bytes.data() + bytes.size() - size, size);
  return values;
}

std::vector<Layer> Load() {
  absl::StatusOr<std::vector<Layer>> layers = LoadCheckpoint("minilm", DataPath("model.safetensors"));
  EXPECT_TRUE(layers.ok()) << layers.status();
  return layers.value_or(std::vector<Layer>());
}

TEST(MiniLm, HasThirteenLayers) {
  const std::vector<Layer> layers = Load();
  ASSERT_EQ(layers.size(), 13U);
  EXPECT_EQ(layers[0].name, "minilm/embeddings.LayerNorm");
  EXPECT_EQ(layers[12].name, "minilm/encoder.layer.5.output.LayerNorm");
  for (const Layer& layer : layers) {
    EXPECT_EQ(layer.kind, NormKind::kLayerNorm) << layer.name;
    EXPECT_EQ(layer.hidden, kHidden) << layer.name;
    EXPECT_EQ(layer.gamma.size(), 384U) << layer.name;
    EXPECT_EQ(layer.beta.size(), 384U) << layer.name;
    EXPECT_EQ(layer.epsilon, 1e-12) << layer.name;
  }
}

// expected.npy was computed in rational numbers, so it holds the kernels and the tests' own reference alike.
TEST(MiniLm, RealTokensAreAnsweredWithinTheContractByEveryTarget) {
  const std::vector<Layer> layers = Load();
  ASSERT_FALSE(layers.empty());
  const Layer& layer = layers[0];
  const std::vector<float> x = ReadRows("activations.npy");
  const std::vector<float> expected = ReadRows("expected.npy");
  for (const Target* target : TargetsHere()) {
    const Bits got = Normalize(*target, x, kHidden, {layer.gamma, layer.beta, layer.epsilon});
    const std::vector<float> y = ValuesOf(got.y);
    ASSERT_EQ(y.size(), expected.size());
    for (int64_t row = 0; row < kRows; ++row) {
      const ExactRow exact(std::span<const float>(x).subspan(row * kHidden, kHidden), layer.epsilon);
      const auto unit = 0x1p-23L * exact.LargestXhat();
      for (int64_t i = 0; i < kHidden; ++i) {
        const float want = expected[row * kHidden + i];
        const long double bound = 8 * unit * std::fabs(layer.gamma[i]) + std::fabs(want) * 0x1p-23F;
        EXPECT_LE(std::fabs(static_cast<long double>(y[row * kHidden + i]) - want), bound)
            << target->name << ", row " << row << ", element " << i;
      }
    }
  }
}

TEST(MiniLm, TheReferenceAgreesWithTheRationalAnswer) {
  const std::vector<Layer> layers = Load();
  ASSERT_FALSE(layers.empty());
  const std::vector<float> x = ReadRows("activations.npy");
  const std::vector<float> expected = ReadRows("expected.npy");
  for (int64_t row = 0; row < kRows; ++row) {
    const ExactRow exact({.parameters = {layers[0].gamma, layers[0].beta, layers[0].epsilon},
                          .hidden = kHidden,
                          .x = {x.begin() + row * kHidden, x.begin() + (row + 1) * kHidden}});
    for (int64_t i = 0; i < kHidden; ++i) {
      EXPECT_EQ(static_cast<float>(exact.Y(i)), expected[row * kHidden + i])
          << "row " << row << ", element " << i;
    }
  }
}

}  // namespace
}  // namespace normd
