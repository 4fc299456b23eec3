// SPDX-License-Identifier: Apache-2.0
#include "layer_registry.h"

#include <gtest/gtest.h>

namespace normd {
namespace {

Layer LayerOf(const std::string& name) {
  Layer layer;
  layer.name = name;
  layer.hidden = 2;
  layer.gamma = {1, 2};
  layer.beta = {3, 4};
  return layer;
}

TEST(LayerRegistryTest, HoldsTheBuiltInLayers) {
  const LayerRegistry layers(nullptr);
  const ServedLayer* found = layers.Find("layer_norm");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->layer.hidden, 0);
  EXPECT_EQ(found->layer.epsilon, 1e-5);
  ASSERT_NE(layers.Find("rms_norm"), nullptr);
  EXPECT_EQ(layers.Find("rms_norm")->layer.kind, NormKind::kRmsNorm);
  EXPECT_EQ(layers.size(), 2U);
}

TEST(LayerRegistryTest, ListsByName) {
  LayerRegistry layers(nullptr);
  ASSERT_TRUE(layers.Add(LayerOf("z")).ok());
  ASSERT_TRUE(layers.Add(LayerOf("a")).ok());
  std::vector<std::string> names;
  for (const auto& [name, served] : layers) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "layer_norm", "rms_norm", "z"}));
}

TEST(LayerRegistryTest, RefusesANameThatIsTaken) {
  LayerRegistry layers(nullptr);
  EXPECT_EQ(layers.Add(LayerOf("layer_norm")).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_TRUE(layers.Find("layer_norm")->layer.gamma.empty());
}

TEST(LayerRegistryTest, RefusesParametersThatDoNotFit) {
  LayerRegistry layers(nullptr);
  Layer layer = LayerOf("odd");
  layer.beta.pop_back();
  EXPECT_EQ(layers.Add(layer).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(layers.Find("odd"), nullptr);
}

}  // namespace
}  // namespace normd
