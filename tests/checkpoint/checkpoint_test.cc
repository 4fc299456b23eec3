// SPDX-License-Identifier: Apache-2.0

#include "checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "safetensors_bytes.h"

namespace normd {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> Names(const std::vector<Layer>& layers) {
  std::vector<std::string> names;
  for (const Layer& layer : layers) {
    names.push_back(layer.name);
  }
  return names;
}

class Checkpoint : public testing::Test {
 protected:
  std::string Write(const SafetensorsBuilder& builder) const {
    return folder_.Write("model.safetensors", builder.Bytes());
  }
  void Config(std::string_view text) const { folder_.Write("config.json", text); }

  absl::StatusOr<std::vector<Layer>> Load(const SafetensorsBuilder& builder) const {
    return LoadCheckpoint("m", Write(builder));
  }
  // The only layer.
  Layer LoadOne(const SafetensorsBuilder& builder) const {
    const absl::StatusOr<std::vector<Layer>> layers = Load(builder);
    EXPECT_TRUE(layers.ok()) << layers.status();
    EXPECT_EQ(layers.value_or(std::vector<Layer>()).size(), 1U);
    return layers.ok() && !layers->empty() ? layers->front() : Layer();
  }
  std::string Error(const SafetensorsBuilder& builder) const {
    const absl::Status status = Load(builder).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  }

  const TemporaryFolder folder_;
};

SafetensorsBuilder OneNorm() {
  return SafetensorsBuilder().F32("norm.weight", {1, 2}).F32("norm.bias", {3, 4});
}
SafetensorsBuilder OneGain() { return SafetensorsBuilder().F32("norm.weight", {1, 2}); }

TEST_F(Checkpoint, FindsEveryNormAndNothingElse) {
  SafetensorsBuilder builder;
  const std::vector<std::string> norms = {"LayerNorm",  "a.norm1",     "b.ln",
                                          "c.ln_1",     "d.ln2",       "e.LN_f",
                                          "f.rms_NORM", "norm.q_norm", "g.final_layernorm"};
  const std::vector<std::string> others = {"h.lnk", "i.linear", "norm.mlp", "j.alnorn", "k.l_n"};
  for (const std::string& stem : norms) {
    builder.F32(stem + ".weight", {1});
  }
  for (const std::string& stem : others) {
    builder.F32(stem + ".weight", {1});
  }
  builder.F32("l.norm.scale", {1}).F32("norm", {1}).F32("weight", {1});
  builder.Tensor("wide.norm.weight", "F32", {1, 1}, "1234").Tensor("packed.norm.weight", "I8", {1}, "1");
  const absl::StatusOr<std::vector<Layer>> layers = Load(builder);
  ASSERT_TRUE(layers.ok()) << layers.status();
  EXPECT_THAT(Names(*layers),
              ElementsAre("m/LayerNorm", "m/a.norm1", "m/b.ln", "m/c.ln_1", "m/d.ln2", "m/e.LN_f",
                          "m/f.rms_NORM", "m/g.final_layernorm", "m/norm.q_norm"));
}

TEST_F(Checkpoint, ReadsGammaAndBeta) {
  Config(R"({"layer_norm_eps": 0.25})");
  const Layer layer = LoadOne(OneNorm());
  EXPECT_EQ(layer.kind, NormKind::kLayerNorm);
  EXPECT_EQ(layer.hidden, 2);
  EXPECT_EQ(layer.epsilon, 0.25);
  EXPECT_THAT(layer.gamma, ElementsAre(1, 2));
  EXPECT_THAT(layer.beta, ElementsAre(3, 4));
  EXPECT_EQ(layer.parameter_type, DataType::kFloat32);
  EXPECT_EQ(layer.checkpoint, "m");
}

TEST_F(Checkpoint, ReadsTheOldNames) {
  const Layer layer = LoadOne(SafetensorsBuilder().F32("LayerNorm.gamma", {1}).F32("LayerNorm.beta", {2}));
  EXPECT_THAT(layer.gamma, ElementsAre(1));
  EXPECT_THAT(layer.beta, ElementsAre(2));
}

TEST_F(Checkpoint, ReadsHalves) {
  const Layer f16 = LoadOne(
      SafetensorsBuilder().Halves("norm.weight", "F16", {0x3C00}).Halves("norm.bias", "F16", {0x0001}));
  EXPECT_EQ(f16.parameter_type, DataType::kFloat16);
  EXPECT_THAT(f16.gamma, ElementsAre(1.0F));
  EXPECT_THAT(f16.beta, ElementsAre(0x1p-24F));
  const Layer bf16 = LoadOne(SafetensorsBuilder().Halves("norm.weight", "BF16", {0x4000}));
  EXPECT_EQ(bf16.parameter_type, DataType::kBfloat16);
  EXPECT_THAT(bf16.gamma, ElementsAre(2.0F));
}

TEST_F(Checkpoint, LeavesBatchNormOut) {
  const absl::StatusOr<std::vector<Layer>> layers =
      Load(OneNorm().F32("batch_norm.weight", {1}).F32("batch_norm.running_mean", {1}));
  ASSERT_TRUE(layers.ok()) << layers.status();
  EXPECT_THAT(Names(*layers), ElementsAre("m/norm"));
}

TEST_F(Checkpoint, TakesTheKindFromBetaAndConfig) {
  EXPECT_EQ(LoadOne(OneGain()).kind, NormKind::kLayerNorm) << "no beta, and nothing said of rms_norm";
  EXPECT_THAT(LoadOne(OneGain()).beta, IsEmpty());
  Config(R"({"rms_norm_eps": 1e-6, "layer_norm_eps": 1e-7})");
  EXPECT_EQ(LoadOne(OneGain()).kind, NormKind::kRmsNorm);
  EXPECT_EQ(LoadOne(OneGain()).epsilon, 1e-6);
  EXPECT_EQ(LoadOne(OneNorm()).kind, NormKind::kLayerNorm);
  EXPECT_EQ(LoadOne(OneNorm()).epsilon, 1e-7);
}

TEST_F(Checkpoint, TakesEpsilonFromConfigThenMetadataThenTheDefault) {
  EXPECT_EQ(LoadOne(OneNorm()).epsilon, 1e-5);
  EXPECT_EQ(LoadOne(OneNorm().Metadata("layer_norm_epsilon", "1e-9")).epsilon, 1e-9);
  EXPECT_EQ(LoadOne(OneNorm().Metadata("layer_norm_eps", "0")).epsilon, 0);
  Config(R"({"hidden_size": 2})");
  EXPECT_EQ(LoadOne(OneNorm().Metadata("layer_norm_eps", "1e-9")).epsilon, 1e-9);
  Config(R"({"layer_norm_epsilon": 1e-3})");
  EXPECT_EQ(LoadOne(OneNorm().Metadata("layer_norm_eps", "1e-9")).epsilon, 1e-3);
  Config(R"({"layer_norm_eps": 1})");
  EXPECT_EQ(LoadOne(OneNorm()).epsilon, 1) << "an integer is a number";
}

TEST_F(Checkpoint, WarnsOfTheDefaultEpsilonOnly) {
  testing::internal::CaptureStdout();
  LoadOne(OneNorm().Metadata("layer_norm_eps", "1e-9"));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  testing::internal::CaptureStdout();
  LoadOne(OneNorm());
  EXPECT_THAT(testing::internal::GetCapturedStdout(),
              AllOf(HasSubstr("warning"), HasSubstr("layer_norm_eps")));
}

TEST_F(Checkpoint, RefusesABadEpsilon) {
  for (const char* value : {"-1e-5", "\"1e-5\"", "null", "[1e-5]", "1e39"}) {
    Config(std::string("{\"layer_norm_eps\": ") + value + "}");
    EXPECT_THAT(Error(OneNorm()), AllOf(HasSubstr("config.json"), HasSubstr("layer_norm_eps"))) << value;
  }
  Config(R"({"rms_norm_eps": -1})");
  EXPECT_THAT(Error(OneNorm()), HasSubstr("rms_norm_eps is -1, expected"));
  Config("{}");
  for (const char* value : {"", "nan", "inf", "-1", "1e-5x"}) {
    EXPECT_THAT(Error(OneNorm().Metadata("layer_norm_eps", value)), HasSubstr("model.safetensors")) << value;
  }
}

TEST_F(Checkpoint, RefusesAConfigThatIsNoObject) {
  for (const std::string& text :
       {std::string("[1]"), std::string("{"), std::string("{\"layer_norm_eps\": NaN}"),
        std::string(1'000'000, '['), std::string("\"\xFF\"")}) {
    Config(text);
    EXPECT_THAT(Error(OneNorm()), HasSubstr("config.json\" is not a JSON object")) << text.substr(0, 20);
  }
  Config("");
  EXPECT_THAT(Error(OneNorm()), HasSubstr("config.json\" is empty"));
  Config(std::string((16U << 20) + 1, ' '));
  EXPECT_THAT(Error(OneNorm()), HasSubstr("expected at most 16777216"));
}

TEST_F(Checkpoint, RefusesParametersThatDoNotFit) {
  EXPECT_THAT(Error(OneGain().F32("norm.bias", {1})), AllOf(HasSubstr("expected [2]"), HasSubstr("got [1]")));
  EXPECT_THAT(Error(OneGain().Tensor("norm.bias", "F32", {2, 1}, "12345678")), HasSubstr("got [2, 1]"));
  EXPECT_THAT(Error(OneGain().Tensor("norm.bias", "I8", {2}, "12")), HasSubstr("got \"I8\""));
  EXPECT_THAT(Error(SafetensorsBuilder().F32("norm.weight", {})), HasSubstr("has no values"));
  EXPECT_THAT(Error(OneGain().F32("norm.gamma", {1})), HasSubstr("both a weight and a gamma"));
}

TEST_F(Checkpoint, SaysHowManyTensorsItLookedAt) {
  EXPECT_THAT(Error(SafetensorsBuilder().F32("linear.weight", {1}).F32("linear.bias", {1})),
              AllOf(HasSubstr("model.safetensors"), HasSubstr("no norm layer among its 2 tensors")));
}

TEST_F(Checkpoint, RefusesANameThatIsNoName) {
  const std::string path = Write(OneNorm());
  EXPECT_TRUE(LoadCheckpoint("MiniLM-L6_v2.1", path).ok());
  for (const char* name : {"", "a/b", "a b", "\xC3\xA9", "a=b"}) {
    const absl::Status status = LoadCheckpoint(name, path).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_THAT(std::string(status.message()), HasSubstr("name")) << name;
  }
}

}  // namespace
}  // namespace normd
