// SPDX-License-Identifier: Apache-2.0
//
// What the handler refuses, and in which words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "handled.h"

namespace normd {
namespace {

using absl::StatusCode;
using testing::HasSubstr;

// What is done to a good request of two rows of hidden 2, and what comes of it.
struct Refusal {
  std::string name;
  std::function<void(v1::NormalizeRequest*)> spoil;
  StatusCode code;
  std::string text;
};

std::string NameOf(const testing::TestParamInfo<Refusal>& info) { return info.param.name; }

LayerRegistry* Layers() {
  static auto* const layers = [] {
    auto* made = new LayerRegistry(nullptr);
    Layer norm;
    norm.name = "model/ln";
    norm.hidden = 2;
    norm.gamma = {1, 1};
    Layer rms = norm;
    rms.name = "model/rms";
    rms.kind = NormKind::kRmsNorm;
    EXPECT_TRUE(made->Add(rms).ok());
    EXPECT_TRUE(made->Add(norm).ok());
    return made;
  }();
  return layers;
}

class RefusalTest : public testing::TestWithParam<Refusal> {
 protected:
  NormalizeHandler handler_{Layers()};
};

TEST_P(RefusalTest, SaysWhy) {
  auto request = RequestOf({1, 2, 3, 4}, 2, {1, 1});
  ASSERT_TRUE(Handle(&handler_, request).ok());
  GetParam().spoil(&request);
  const auto response = Handle(&handler_, request);
  EXPECT_EQ(response.status().code(), GetParam().code) << response.status();
  EXPECT_THAT(std::string(response.status().message()), HasSubstr(GetParam().text));
}

TEST_P(RefusalTest, IsAnAnswerInAStream) {
  auto request = RequestOf({1, 2, 3, 4}, 2, {1, 1});
  request.set_request_id("an id");
  GetParam().spoil(&request);
  const std::string bytes = request.SerializeAsString();
  const std::string_view slice = bytes;
  Answer answer;
  Call call;
  call.message = {&slice, 1};
  ASSERT_TRUE(handler_.Handle(call, Framing::kStream, &answer).ok());
  v1::NormalizeStreamResponse response;
  ASSERT_TRUE(response.ParseFromString(TakeBytes(&answer)));
  EXPECT_EQ(response.error().code(), static_cast<int>(GetParam().code));
  EXPECT_THAT(response.error().message(), HasSubstr(GetParam().text));
  EXPECT_LE(response.error().request_id().size(), 1024U);
}

using Request = v1::NormalizeRequest;
constexpr int64_t kHuge = int64_t{1} << 62;

const Refusal kShapes[] = {
    {"FewerBytesThanRows", [](Request* r) { r->mutable_data()->resize(12); }, StatusCode::kInvalidArgument,
     "expected 16 bytes (2 rows of hidden 2), got 12"},
    {"CountsThatDoNotAddUp", [](Request* r) { r->set_token_counts(0, 3); }, StatusCode::kInvalidArgument,
     "expected 32 bytes (4 rows of hidden 2), got 16"},
    {"PartOfARow",
     [](Request* r) {
       r->clear_token_counts();
       r->mutable_data()->resize(15);
     },
     StatusCode::kInvalidArgument, "expected a payload of whole rows of 8 bytes, got 15"},
    {"NegativeCount", [](Request* r) { r->set_token_counts(1, -1); }, StatusCode::kInvalidArgument,
     "token_counts[1]: expected at least 0, got -1"},
    {"SumThatOverflows",
     [](Request* r) {
       r->set_token_counts(0, kHuge);
       r->set_token_counts(1, kHuge);
     },
     StatusCode::kInvalidArgument, "token_counts: their sum"},
    {"BytesThatOverflow", [](Request* r) { r->set_token_counts(0, kHuge); }, StatusCode::kInvalidArgument,
     "more bytes than int64 counts"},
    {"RowThatOverflows", [](Request* r) { r->set_hidden(kHuge); }, StatusCode::kInvalidArgument,
     "more bytes than int64 counts"},
    {"NegativeHidden", [](Request* r) { r->set_hidden(-1); }, StatusCode::kInvalidArgument,
     "expected a hidden of at least 1, got -1"},
    {"NoHidden", [](Request* r) { r->clear_hidden(); }, StatusCode::kInvalidArgument, "hidden"},
    {"BothPayloads", [](Request* r) { r->add_values(1); }, StatusCode::kInvalidArgument, "got both"},
    {"NeitherPayload", [](Request* r) { r->clear_data(); }, StatusCode::kInvalidArgument, "got neither"},
    {"LongId", [](Request* r) { r->set_request_id(std::string(1025, 'i')); }, StatusCode::kInvalidArgument,
     "request_id: expected at most 1024 bytes, got 1025"},
};

const Refusal kLayers[] = {
    {"UnknownLayer", [](Request* r) { r->set_layer("no\nsuch"); }, StatusCode::kNotFound,
     "no layer \"no\\nsuch\""},
    {"LayerOfAnotherHidden",
     [](Request* r) {
       r->set_layer("model/ln");
       r->set_hidden(4);
     },
     StatusCode::kInvalidArgument, "expected 2 (that of the layer), got 4"},
    {"LayerAndParameters", [](Request* r) { r->mutable_parameters(); }, StatusCode::kInvalidArgument,
     "got both"},
    {"NeitherLayerNorParameters", [](Request* r) { r->clear_layer(); }, StatusCode::kInvalidArgument,
     "got neither"},
    {"GammaOfAnotherLength",
     [](Request* r) {
       r->clear_layer();
       r->mutable_parameters()->add_gamma(1);
     },
     StatusCode::kInvalidArgument, "gamma"},
    {"NegativeEpsilon",
     [](Request* r) {
       r->clear_layer();
       r->mutable_parameters()->set_epsilon(-1);
     },
     StatusCode::kInvalidArgument, "epsilon"},
    {"EpsilonThatIsNoNumber",
     [](Request* r) {
       r->clear_layer();
       r->mutable_parameters()->set_epsilon(std::nan(""));
     },
     StatusCode::kInvalidArgument, "epsilon"},
    {"UnknownKind",
     [](Request* r) {
       r->clear_layer();
       r->mutable_parameters()->set_kind(static_cast<v1::Kind>(9));
     },
     StatusCode::kInvalidArgument, "got 9"},
};

// Makes the parameters inline ones of another kind.
v1::Parameters* SetKind(Request* r, v1::Kind kind) {
  r->clear_layer();
  r->mutable_parameters()->set_kind(kind);
  return r->mutable_parameters();
}

void UseValues(Request* r) {
  r->clear_data();
  for (const float value : {1.0F, 2.0F, 3.0F, 4.0F}) r->add_values(value);
}

const Refusal kKinds[] = {
    {"BetaWithRmsNorm", [](Request* r) { SetKind(r, v1::RMS_NORM)->mutable_beta()->Resize(2, 1); },
     StatusCode::kInvalidArgument, "rms_norm takes no beta"},
    {"OffsetWithLayerNorm", [](Request* r) { SetKind(r, v1::LAYER_NORM)->set_gamma_offset(1); },
     StatusCode::kInvalidArgument, "gamma_offset goes with rms_norm alone"},
    {"OffsetThatIsNotFinite", [](Request* r) { SetKind(r, v1::RMS_NORM)->set_gamma_offset(INFINITY); },
     StatusCode::kInvalidArgument, "expected a finite gamma_offset, got inf"},
    {"RunningMeanWithLayerNorm",
     [](Request* r) { SetKind(r, v1::LAYER_NORM)->mutable_running_mean()->Resize(2, 1); },
     StatusCode::kInvalidArgument, "running_mean and running_var go with batch_norm alone"},
    {"BatchNormWithoutStatistics", [](Request* r) { SetKind(r, v1::BATCH_NORM); },
     StatusCode::kInvalidArgument, "batch_norm needs running_mean and running_var of 2 values each"},
    {"RunningVarOfAnotherLength",
     [](Request* r) {
       SetKind(r, v1::BATCH_NORM)->mutable_running_mean()->Resize(2, 1);
       r->mutable_parameters()->mutable_running_var()->Resize(3, 1);
     },
     StatusCode::kInvalidArgument, "running_var has 3 values; hidden is 2"},
    {"MeanOfRmsNorm",
     [](Request* r) {
       r->set_layer("model/rms");
       r->add_outputs(v1::MEAN);
     },
     StatusCode::kInvalidArgument, "MEAN: expected a layer_norm, got a rms_norm"},
    {"RstdOfBatchNorm",
     [](Request* r) {
       SetKind(r, v1::BATCH_NORM)->mutable_running_mean()->Resize(2, 1);
       r->mutable_parameters()->mutable_running_var()->Resize(2, 1);
       r->add_outputs(v1::RSTD);
     },
     StatusCode::kInvalidArgument, "RSTD: expected a layer_norm or rms_norm, got a batch_norm"},
    {"UnknownDataType", [](Request* r) { r->set_data_type(static_cast<v1::DataType>(4)); },
     StatusCode::kInvalidArgument, "got 4"},
    {"Float32AsFloat16", [](Request* r) { r->set_data_type(v1::FLOAT16); }, StatusCode::kInvalidArgument,
     "expected 8 bytes (2 rows of hidden 2), got 16"},
};

const Refusal kResiduals[] = {
    {"OtherSize", [](Request* r) { r->set_residual("1234"); }, StatusCode::kInvalidArgument,
     "residual: expected 16 bytes (2 rows of hidden 2), got 4"},
    {"Empty", [](Request* r) { r->set_residual(""); }, StatusCode::kInvalidArgument,
     "residual: expected 16 bytes (2 rows of hidden 2), got 0"},
    {"ValuesOfOtherSize",
     [](Request* r) {
       UseValues(r);
       r->add_residual_values(1);
     },
     StatusCode::kInvalidArgument, "residual_values: expected 16 bytes (2 rows of hidden 2), got 4"},
    {"ValuesWithData", [](Request* r) { r->add_residual_values(1); }, StatusCode::kInvalidArgument,
     "got residual_values"},
    {"BytesWithValues",
     [](Request* r) {
       UseValues(r);
       r->set_residual(std::string(16, '\0'));
     },
     StatusCode::kInvalidArgument, "expected residual_values"},
    {"SumWithoutResidual", [](Request* r) { r->add_outputs(v1::RESIDUAL_SUM); }, StatusCode::kInvalidArgument,
     "RESIDUAL_SUM: expected a residual, got none"},
    {"ResidualOfNoRows",
     [](Request* r) {
       *r = RequestOf({}, 2, {0});
       r->clear_data();
       r->set_residual("1234");
     },
     StatusCode::kInvalidArgument, "residual: expected 0 bytes (0 rows of hidden 2), got 4"},
};

const Refusal kOutputs[] = {
    {"UnknownOutput", [](Request* r) { r->add_outputs(static_cast<v1::Output>(77)); },
     StatusCode::kInvalidArgument, "got 77"},
    {"UnspecifiedOutput", [](Request* r) { r->add_outputs(v1::OUTPUT_UNSPECIFIED); },
     StatusCode::kInvalidArgument, "got 0"},
};

INSTANTIATE_TEST_SUITE_P(Shapes, RefusalTest, testing::ValuesIn(kShapes), NameOf);
INSTANTIATE_TEST_SUITE_P(Layers, RefusalTest, testing::ValuesIn(kLayers), NameOf);
INSTANTIATE_TEST_SUITE_P(Kinds, RefusalTest, testing::ValuesIn(kKinds), NameOf);
INSTANTIATE_TEST_SUITE_P(Residuals, RefusalTest, testing::ValuesIn(kResiduals), NameOf);
INSTANTIATE_TEST_SUITE_P(Outputs, RefusalTest, testing::ValuesIn(kOutputs), NameOf);

v1::NormalizeStreamResponse HandleInStream(std::string_view message) {
  NormalizeHandler handler(Layers());
  Answer answer;
  Call call;
  call.message = {&message, 1};
  EXPECT_TRUE(handler.Handle(call, Framing::kStream, &answer).ok());
  v1::NormalizeStreamResponse response;
  EXPECT_TRUE(response.ParseFromString(TakeBytes(&answer)));
  return response;
}

TEST(RefusalOfBytesTest, MalformedBytes) {
  NormalizeHandler handler(Layers());
  const std::string_view message("\x0a\x05only", 6);
  EXPECT_EQ(HandleSlices(&handler, {&message, 1}).status().code(), StatusCode::kInvalidArgument);
}

// An error must be readable itself: proto3 strings are UTF-8, and a client refuses those that are not.
TEST(RefusalOfBytesTest, IdThatIsNotUtf8IsNotEchoed) {
  const auto response = HandleInStream(std::string_view("\x1a\x01\xff", 3));
  EXPECT_EQ(response.error().code(), static_cast<int>(StatusCode::kInvalidArgument));
  EXPECT_EQ(response.error().request_id(), "");
}

TEST(RefusalOfBytesTest, LongLayerNameIsCut) {
  NormalizeHandler handler(Layers());
  auto request = RequestOf({1, 2}, 2);
  request.set_layer(std::string(100000, 'l'));
  EXPECT_LE(Handle(&handler, request).status().message().size(), 1024U);
}

TEST(RefusalOfBytesTest, DeadlineThatPassed) {
  NormalizeHandler handler(Layers());
  const std::string bytes = RequestOf({1, 2}, 2).SerializeAsString();
  const std::string_view slice = bytes;
  Call call;
  call.message = {&slice, 1};
  call.deadline = Clock::now() - std::chrono::seconds(1);
  Answer answer;
  EXPECT_EQ(handler.Handle(call, Framing::kUnary, &answer).code(), StatusCode::kDeadlineExceeded);
}

}  // namespace
}  // namespace normd
