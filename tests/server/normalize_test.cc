// SPDX-License-Identifier: Apache-2.0
//
// What the handler answers to good requests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cut.h"
#include "handled.h"

namespace normd {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::IsEmpty;

std::vector<float> RandomTokens(Random* random, int64_t count) {
  std::vector<float> tokens(static_cast<size_t>(count));
  for (float& token : tokens) token = static_cast<float>(random->Below(2000)) * 0.125F - 100;
  return tokens;
}

class NormalizeTest : public testing::Test {
 protected:
  LayerRegistry layers_{nullptr};
  NormalizeHandler handler_{&layers_};
};

TEST_F(NormalizeTest, WorkedExampleAsValues) {
  v1::NormalizeRequest request;
  request.set_layer("layer_norm");
  request.set_hidden(4);
  request.set_request_id("an id");
  for (const float value : {3.2F, -1.8F, 0.5F, 2.1F}) request.add_values(value);
  const auto response = Handle(&handler_, request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_THAT(response->values(), ElementsAre(FloatNear(1.17011F, 1e-5F), FloatNear(-1.48923F, 1e-5F),
                                              FloatNear(-0.26593F, 1e-5F), FloatNear(0.58506F, 1e-5F)));
  EXPECT_EQ(response->request_id(), "an id");
  EXPECT_EQ(response->hidden(), 4);
  EXPECT_EQ(response->data_type(), v1::FLOAT32);
  EXPECT_FALSE(response->has_data());
  EXPECT_THAT(response->token_counts(), ElementsAre(1));
}

TEST_F(NormalizeTest, ValuesAndDataGiveTheSameBits) {
  Random random(1);
  const std::vector<float> tokens = RandomTokens(&random, int64_t{3} * 33);
  auto request = RequestOf(tokens, 33);
  const auto data = Handle(&handler_, request);
  request.clear_data();
  request.mutable_values()->Add(tokens.begin(), tokens.end());
  const auto values = Handle(&handler_, request);
  ASSERT_TRUE(data.ok() && values.ok());
  EXPECT_EQ(data->data(), BytesOf({values->values().begin(), values->values().end()}));
}

TEST_F(NormalizeTest, StatisticsAlone) {
  auto request = RequestOf({1, 3, 10, 10}, 2);
  request.mutable_parameters()->set_epsilon(3);
  request.clear_layer();
  request.add_outputs(v1::MEAN);
  request.add_outputs(v1::RSTD);
  request.add_outputs(v1::MEAN);  // twice is once
  const auto response = Handle(&handler_, request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_THAT(response->mean(), ElementsAre(2, 10));
  EXPECT_THAT(response->rstd(), ElementsAre(0.5F, FloatNear(0.5773503F, 1e-6F)));
  EXPECT_FALSE(response->has_data());
}

TEST_F(NormalizeTest, OutputsOfOneRequestDoNotStayForTheNext) {
  auto request = RequestOf({1, 3}, 2);
  request.add_outputs(v1::MEAN);
  ASSERT_TRUE(Handle(&handler_, request).ok());
  const auto response = Handle(&handler_, RequestOf({1, 3}, 2));
  ASSERT_TRUE(response.ok());
  EXPECT_THAT(response->mean(), IsEmpty());
  EXPECT_EQ(response->data().size(), 8U);
}

TEST_F(NormalizeTest, InlineParameters) {
  auto request = RequestOf({1, 3}, 0);
  request.clear_layer();
  for (const float gamma : {2.0F, 4.0F}) request.mutable_parameters()->add_gamma(gamma);
  for (const float beta : {10.0F, 20.0F}) request.mutable_parameters()->add_beta(beta);
  request.mutable_parameters()->set_epsilon(0);
  const auto response = Handle(&handler_, request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->hidden(), 2);  // that of gamma
  EXPECT_EQ(response->data(), BytesOf({8, 24}));
}

TEST_F(NormalizeTest, NoTokensComeBackInTheSameShape) {
  auto request = RequestOf({}, 768, {0, 0});
  request.clear_data();
  request.add_outputs(v1::NORMALIZED);
  request.add_outputs(v1::MEAN);
  const auto response = Handle(&handler_, request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_THAT(response->token_counts(), ElementsAre(0, 0));
  EXPECT_EQ(response->hidden(), 768);
  EXPECT_THAT(response->mean(), IsEmpty());
  EXPECT_EQ(response->data(), "");
  const auto with_empty_data = Handle(&handler_, RequestOf({}, 768));
  ASSERT_TRUE(with_empty_data.ok()) << with_empty_data.status();
  EXPECT_THAT(with_empty_data->token_counts(), ElementsAre(0));
}

TEST_F(NormalizeTest, SameBitsHoweverTheMessageIsCut) {
  Random random(2);
  for (int round = 0; round < 300; ++round) {
    const int64_t hidden = 1 + static_cast<int64_t>(random.Below(80));
    auto request = RequestOf(RandomTokens(&random, hidden * static_cast<int64_t>(random.Below(9))), hidden);
    for (const auto output : {v1::NORMALIZED, v1::MEAN, v1::RSTD}) request.add_outputs(output);
    const auto whole = Handle(&handler_, request);
    const CutMessage cut = CutAtRandom(request.SerializeAsString(), &random);
    const auto pieces = HandleSlices(&handler_, cut.slices());
    ASSERT_TRUE(whole.ok() && pieces.ok()) << whole.status() << pieces.status();
    EXPECT_EQ(whole->data(), pieces->data());
    EXPECT_EQ(BytesOf({whole->mean().begin(), whole->mean().end()}),
              BytesOf({pieces->mean().begin(), pieces->mean().end()}));
    EXPECT_EQ(BytesOf({whole->rstd().begin(), whole->rstd().end()}),
              BytesOf({pieces->rstd().begin(), pieces->rstd().end()}));
  }
}

TEST_F(NormalizeTest, RowAmongAThousandSequencesHasTheBitsOfTheRowAlone) {
  constexpr int64_t kHidden = 768;
  Random random(3);
  std::vector<int64_t> counts(1000);
  int64_t rows = 0;
  for (int64_t& count : counts) rows += count = static_cast<int64_t>(random.Below(4));
  const std::vector<float> tokens = RandomTokens(&random, rows * kHidden);
  const auto batch = Handle(&handler_, RequestOf(tokens, kHidden, counts));
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(std::vector<int64_t>(batch->token_counts().begin(), batch->token_counts().end()), counts);
  for (int64_t row = 0; row < rows; row += 7) {
    const auto* first = tokens.data() + row * kHidden;
    const auto alone = Handle(&handler_, RequestOf({first, first + kHidden}, kHidden));
    ASSERT_TRUE(alone.ok());
    ASSERT_EQ(alone->data(), batch->data().substr(static_cast<size_t>(row) * kHidden * 4, kHidden * 4));
  }
}

TEST_F(NormalizeTest, RowWithNanTouchesNoOther) {
  const auto response = Handle(&handler_, RequestOf({1, 3, std::nanf(""), 3, 1, 3}, 2));
  const auto good = Handle(&handler_, RequestOf({1, 3}, 2));
  ASSERT_TRUE(response.ok() && good.ok());
  EXPECT_EQ(response->data().substr(0, 8), good->data());
  EXPECT_EQ(response->data().substr(8, 8), std::string("\0\0\xc0\x7f\0\0\xc0\x7f", 8));
  EXPECT_EQ(response->data().substr(16, 8), good->data());
}

}  // namespace
}  // namespace normd
