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
    {"RmsLayer", [](Request* r) { r->set_layer("model/rms"); }, StatusCode::kUnimplemented, "rms_norm"},
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
    {"InlineBatchNorm",
     [](Request* r) {
       r->clear_layer();
       r->mutable_parameters()->set_kind(v1::BATCH_NORM);
     },
     StatusCode::kUnimplemented, "batch_norm"},
    {"UnknownKind",
     [](Request* r) {
       r->clear_layer();
       r->mutable_parameters()->set_kind(static_cast<v1::Kind>(9));
     },
     StatusCode::kInvalidArgument, "got 9"},
};

const Refusal kKinds[] = {
    {"Float16", [](Request* r) { r->set_data_type(v1::FLOAT16); }, StatusCode::kUnimplemented, "FLOAT16"},
    {"Bfloat16", [](Request* r) { r->set_data_type(v1::BFLOAT16); }, StatusCode::kUnimplemented, "BFLOAT16"},
    {"UnknownDataType", [](Request* r) { r->set_data_type(static_cast<v1::DataType>(4)); },
     StatusCode::kInvalidArgument, "got 4"},
    {"Residual", [](Request* r) { r->set_residual("1234"); }, StatusCode::kUnimplemented, "residual"},
    {"ResidualValues", [](Request* r) { r->add_residual_values(1); }, StatusCode::kUnimplemented, "residual"},
    {"ResidualSum", [](Request* r) { r->add_outputs(v1::RESIDUAL_SUM); }, StatusCode::kUnimplemented,
     "RESIDUAL_SUM"},
    {"UnknownOutput", [](Request* r) { r->add_outputs(static_cast<v1::Output>(77)); },
     StatusCode::kInvalidArgument, "got 77"},
    {"UnspecifiedOutput", [](Request* r) { r->add_outputs(v1::OUTPUT_UNSPECIFIED); },
     StatusCode::kInvalidArgument, "got 0"},
};

INSTANTIATE_TEST_SUITE_P(Shapes, RefusalTest, testing::ValuesIn(kShapes), NameOf);
INSTANTIATE_TEST_SUITE_P(Layers, RefusalTest, testing::ValuesIn(kLayers), NameOf);
INSTANTIATE_TEST_SUITE_P(Kinds, RefusalTest, testing::ValuesIn(kKinds), NameOf);

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
