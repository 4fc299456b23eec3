// SPDX-License-Identifier: Apache-2.0
//
// The bits do not depend on where in a message the tokens lie: the kernel on the whole is the reference.
#include <gtest/gtest.h>

#include "cut.h"
#include "handled.h"

namespace normd {
namespace {

constexpr int64_t kHidden = 19;  // no multiple of any target's lanes
constexpr int64_t kRows = 5;

std::vector<float> Tokens() {
  std::vector<float> tokens(kHidden * kRows);
  for (size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<float>(i * 37 % 101) * 0.37F - 9;
  return tokens;
}

// What the kernel gives for all rows at once.
struct Expected {
  std::vector<float> y = std::vector<float>(kHidden * kRows);
  std::vector<float> mean = std::vector<float>(kRows);
  std::vector<float> rstd = std::vector<float>(kRows);
};

Expected RunKernel(const std::vector<float>& tokens) {
  Expected expected;
  NormOperands operands;
  operands.rows = kRows;
  operands.x.data = tokens.data();
  operands.y.data = expected.y.data();
  operands.mean = expected.mean.data();
  operands.rstd = expected.rstd.data();
  EXPECT_TRUE(Norm::Create({.hidden = kHidden, .gamma = {}, .beta = {}})->Run(operands).ok());
  return expected;
}

class PlacementTest : public testing::Test {
 protected:
  PlacementTest() {
    for (const auto output : {v1::NORMALIZED, v1::MEAN, v1::RSTD}) request_.add_outputs(output);
  }

  void ExpectSameBits(const absl::StatusOr<v1::NormalizeResponse>& response) {
    ASSERT_TRUE(response.ok()) << response.status();
    EXPECT_EQ(response->data(), BytesOf(expected_.y));
    EXPECT_EQ(BytesOf({response->mean().begin(), response->mean().end()}), BytesOf(expected_.mean));
    EXPECT_EQ(BytesOf({response->rstd().begin(), response->rstd().end()}), BytesOf(expected_.rstd));
    EXPECT_EQ(response->request_id(), request_.request_id());
  }

  LayerRegistry layers_{nullptr};
  NormalizeHandler handler_{&layers_};
  std::vector<float> tokens_ = Tokens();
  Expected expected_ = RunKernel(tokens_);
  v1::NormalizeRequest request_ = RequestOf(tokens_, kHidden, {2, 0, 3});
};

TEST_F(PlacementTest, CutInTwoAtEachByte) {
  const std::string message = request_.SerializeAsString();
  for (size_t at = 0; at <= message.size(); ++at) {
    SCOPED_TRACE(at);
    const CutMessage cut(message, {at});
    ExpectSameBits(HandleSlices(&handler_, cut.slices()));
  }
}

TEST_F(PlacementTest, EachByteASliceOfItsOwn) {
  const std::string message = request_.SerializeAsString();
  const CutMessage cut(message, std::vector<size_t>(message.size(), 1));
  ExpectSameBits(HandleSlices(&handler_, cut.slices()));
}

// The fields before the data move it to every alignment.
TEST_F(PlacementTest, IdsOfEachLengthBeforeTheData) {
  for (size_t length = 0; length < 18; ++length) {
    SCOPED_TRACE(length);
    request_.set_request_id(std::string(length, 'i'));
    ExpectSameBits(Handle(&handler_, request_));
  }
}

TEST_F(PlacementTest, AllButTheLastByteIsRefused) {
  const std::string message = request_.SerializeAsString();
  const std::string_view slice = std::string_view(message).substr(0, message.size() - 1);
  EXPECT_EQ(HandleSlices(&handler_, {&slice, 1}).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace normd
