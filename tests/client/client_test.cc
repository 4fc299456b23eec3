// SPDX-License-Identifier: Apache-2.0
//
// normd::Client against the fake server.
#include "normd/client.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>

#include "fake_server.h"

namespace normd {
namespace {

class ClientTest : public testing::Test {
 protected:
  Client Connect(const ClientOptions& options = {}) { return *Client::Connect(server_.address(), options); }

  FakeServer server_;
  std::vector<float> tokens_{1, 2, 3, 4, 5, 6};
};

std::vector<float> PlusOne(std::vector<float> values) {
  for (float& value : values) value += 1;
  return values;
}

TEST_F(ClientTest, NormalizesARaggedBatch) {
  const std::vector<int64_t> counts{1, 0, 2};
  const auto answer = Connect().Normalize({.tokens = tokens_,
                                           .hidden = 2,
                                           .token_counts = counts,
                                           .layer = "layer_norm",
                                           .want_mean = true,
                                           .want_rstd = true,
                                           .request_id = "a request"});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->tokens, PlusOne(tokens_));
  EXPECT_EQ(answer->token_counts, counts);
  EXPECT_EQ(answer->mean, (std::vector<float>{10, 11, 12}));
  EXPECT_EQ(answer->rstd, (std::vector<float>{20, 21, 22}));
  EXPECT_EQ(answer->hidden, 2);
  EXPECT_EQ(answer->request_id, "a request");
  EXPECT_EQ(answer->timings.server_queue, 100u);
  EXPECT_EQ(answer->timings.server_compute, 200u);
  EXPECT_EQ(answer->timings.server_total, 400u);
}

TEST_F(ClientTest, SendsALayerWithoutParameters) {
  ASSERT_TRUE(Connect().Normalize({.tokens = tokens_, .hidden = 3, .layer = "some layer"}).ok());
  EXPECT_EQ(server_.normalizer().last_request().layer(), "some layer");
  EXPECT_FALSE(server_.normalizer().last_request().has_parameters());
  EXPECT_TRUE(server_.normalizer().last_request().outputs().empty());
}

TEST_F(ClientTest, SendsInlineParametersWithoutALayer) {
  const std::vector<float> gamma{1, 2, 3}, beta{4, 5, 6};
  const Batch batch{
      .tokens = tokens_, .hidden = 3, .parameters = {.epsilon = 0.25, .gamma = gamma, .beta = beta}};
  ASSERT_TRUE(Connect().Normalize(batch).ok());
  const v1::NormalizeRequest request = server_.normalizer().last_request();
  EXPECT_TRUE(request.layer().empty());
  EXPECT_EQ(request.parameters().kind(), v1::LAYER_NORM);
  EXPECT_EQ(request.parameters().epsilon(), 0.25);
  EXPECT_TRUE(std::ranges::equal(request.parameters().gamma(), gamma));
  EXPECT_TRUE(std::ranges::equal(request.parameters().beta(), beta));
}

TEST_F(ClientTest, SendsTheParametersOfEachKind) {
  const std::vector<float> mean{1, 2, 3}, var{4, 5, 6};
  Batch batch{.tokens = tokens_, .hidden = 3};
  batch.parameters = {.kind = NormKind::kBatchNorm, .running_mean = mean, .running_var = var};
  ASSERT_TRUE(Connect().Normalize(batch).ok());
  v1::Parameters sent = server_.normalizer().last_request().parameters();
  EXPECT_EQ(sent.kind(), v1::BATCH_NORM);
  EXPECT_TRUE(std::ranges::equal(sent.running_mean(), mean));
  EXPECT_TRUE(std::ranges::equal(sent.running_var(), var));
  batch.parameters = {.kind = NormKind::kRmsNorm, .gamma_offset = 1};
  ASSERT_TRUE(Connect().Normalize(batch).ok());
  sent = server_.normalizer().last_request().parameters();
  EXPECT_EQ(sent.kind(), v1::RMS_NORM);
  EXPECT_EQ(sent.gamma_offset(), 1);
}

TEST_F(ClientTest, SendsAResidualAndTakesItsSum) {
  const std::vector<float> residual{9, 8, 7, 6, 5, 4};
  Batch batch{.tokens = tokens_, .hidden = 3, .layer = "layer_norm"};
  batch.residual = residual;
  ASSERT_TRUE(Connect().Normalize(batch).ok());
  EXPECT_EQ(server_.normalizer().last_request().residual().size(), 24U);
  EXPECT_TRUE(server_.normalizer().last_request().outputs().empty());
  batch.want_residual_sum = true;
  const auto answer = Connect().Normalize(batch);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->tokens, PlusOne(tokens_));
  EXPECT_EQ(answer->residual_sum, residual);
}

TEST_F(ClientTest, SendsAndTakesHalves) {
  const auto halves = std::make_shared<std::vector<uint16_t>>(std::vector<uint16_t>{1, 2, 3, 0xFFFF});
  Batch batch{.tokens = *halves, .hidden = 2, .layer = "layer_norm", .want_rstd = true, .owner = halves};
  batch.data_type = DataType::kBfloat16;
  batch.residual = *halves;
  batch.want_residual_sum = true;
  const auto answer = Connect().Normalize(batch);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(server_.normalizer().last_request().data_type(), v1::BFLOAT16);
  EXPECT_EQ(answer->half_tokens, *halves);
  EXPECT_EQ(answer->half_residual_sum, *halves);
  EXPECT_EQ(answer->rstd.size(), 2U);
  EXPECT_TRUE(answer->tokens.empty() && answer->residual_sum.empty());
}

TEST_F(ClientTest, RefusesWhatIsNoDataType) {
  Batch batch{.tokens = tokens_, .hidden = 3, .layer = "layer_norm"};
  batch.data_type = DataType{4};
  EXPECT_EQ(Connect().Normalize(batch).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(ClientTest, TakesNoTokens) {
  const auto answer = Connect().Normalize({.tokens = {}, .hidden = 3, .layer = "layer_norm"});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_TRUE(answer->tokens.empty());
}

// Over gRPC's default limit of 4 MiB, and cut into many slices on its way back.
TEST_F(ClientTest, TakesLargeAnswers) {
  const auto large = std::make_shared<std::vector<float>>(3 << 20);
  std::iota(large->begin(), large->end(), 0.0F);
  const auto answer =
      Connect().Normalize({.tokens = *large, .hidden = 1024, .layer = "layer_norm", .owner = large});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->tokens, PlusOne(*large));
}

TEST_F(ClientTest, LetsGoOfTheOwner) {
  auto owned = std::make_shared<std::vector<float>>(tokens_);
  const std::weak_ptr<std::vector<float>> watched = owned;
  {
    const Client client = Connect();
    ASSERT_TRUE(
        client.Normalize({.tokens = *owned, .hidden = 3, .layer = "layer_norm", .owner = owned}).ok());
  }
  EXPECT_EQ(owned.use_count(), 1);
  owned.reset();
  EXPECT_TRUE(watched.expired());
}

TEST_F(ClientTest, RefusesAnswersOverItsLimit) {
  const std::vector<float> tokens(1000);
  const auto answer =
      Connect({.max_receive_bytes = 1000}).Normalize({.tokens = tokens, .hidden = 10, .layer = "l"});
  EXPECT_EQ(answer.status().code(), absl::StatusCode::kResourceExhausted) << answer.status();
}

TEST_F(ClientTest, KeepsTheServersCodeAndText) {
  const auto answer = Connect().Normalize({.tokens = tokens_, .hidden = 3, .layer = "missing"});
  EXPECT_EQ(answer.status(), absl::NotFoundError("no layer of that name"));
}

TEST_F(ClientTest, RefusesAnAnswerOfAnotherSize) {
  const auto answer = Connect().Normalize({.tokens = tokens_, .hidden = 3, .layer = "short"});
  EXPECT_EQ(answer.status(),
            absl::InternalError("the answer has 23 bytes of tokens; expected 24 as in the request"));
}

TEST_F(ClientTest, EndsAtItsDeadlineAndGoesOn) {
  const Client client = Connect();
  const auto late = client.Normalize({.tokens = tokens_, .hidden = 3, .layer = "slow"},
                                     {.timeout = absl::Milliseconds(20), .metadata = {}});
  EXPECT_EQ(late.status().code(), absl::StatusCode::kDeadlineExceeded) << late.status();
  EXPECT_TRUE(client.Normalize({.tokens = tokens_, .hidden = 3, .layer = "layer_norm"}).ok());
}

TEST_F(ClientTest, SendsMetadata) {
  const CallOptions options{.metadata = {{"x-tenant", "blue"}}};
  ASSERT_TRUE(Connect().Normalize({.tokens = tokens_, .hidden = 3, .layer = "layer_norm"}, options).ok());
  EXPECT_EQ(server_.normalizer().last_metadata("x-tenant"), "blue");
}

TEST_F(ClientTest, ServesManyThreads) {
  const Client client = Connect();
  std::atomic<int> right{0};
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      const std::vector<float> tokens(100, static_cast<float>(thread));
      for (int call = 0; call < 25; ++call) {
        const auto answer = client.Normalize({.tokens = tokens, .hidden = 10, .layer = "layer_norm"});
        right += answer.ok() && answer->tokens == PlusOne(tokens);
      }
    });
  }
  threads.clear();
  EXPECT_EQ(right, 100);
}

TEST_F(ClientTest, ListsLayers) {
  const auto layers = Connect().ListLayers();
  ASSERT_TRUE(layers.ok()) << layers.status();
  ASSERT_EQ(layers->size(), 2u);
  EXPECT_EQ((*layers)[0].kind, "layer_norm");
  EXPECT_EQ((*layers)[0].parameter_type, "");
  EXPECT_EQ((*layers)[1].name, "minilm/embeddings.LayerNorm");
  EXPECT_EQ((*layers)[1].hidden, 384);
  EXPECT_EQ((*layers)[1].epsilon, 1e-12);
  EXPECT_TRUE((*layers)[1].has_gamma && (*layers)[1].has_beta);
  EXPECT_EQ((*layers)[1].parameter_type, "float32");
  EXPECT_EQ((*layers)[1].checkpoint, "model.safetensors");
}

TEST_F(ClientTest, AsksWhatTheServerIs) {
  const auto info = Connect().GetServerInfo();
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_EQ(info->version, "9.8.7");
  EXPECT_EQ(info->numerics_revision, 3);
  EXPECT_EQ(info->targets, (std::vector<std::string>{"avx2", "scalar"}));
  EXPECT_EQ(info->active_target, "scalar");
  EXPECT_EQ(info->max_message_bytes, 1 << 30);
}

TEST_F(ClientTest, AsksForHealth) {
  const Client client = Connect();
  EXPECT_EQ(*client.Health(), true);
  EXPECT_EQ(*client.Health("down"), false);
  EXPECT_EQ(client.Health("unknown").status(), absl::NotFoundError("unknown service"));
}

TEST(Connect, SaysWhyItCannot) {
  const auto client = Client::Connect("unix:/nowhere/at/all");
  EXPECT_EQ(client.status(),
            absl::UnavailableError("cannot reach unix:/nowhere/at/all: no such file or directory"));
}

TEST(Connect, RefusesWhatIsNoAddress) {
  for (const char* address : {"", "localhost", "localhost:", ":8001"}) {
    EXPECT_EQ(Client::Connect(address).status().code(), absl::StatusCode::kInvalidArgument) << address;
  }
  EXPECT_EQ(Client::Connect("bad\nname").status().message(),
            "address \"bad\\nname\" is neither host:port nor unix:/path");
}

}  // namespace
}  // namespace normd
