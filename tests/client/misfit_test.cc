// SPDX-License-Identifier: Apache-2.0
//
// What does not fit: metadata that cannot be sent, answers to another question, more than a stream may hold.
// A server that is not ours may answer anything, and callers index what they asked for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "normd/client.h"
#include "scripted_server.h"

namespace normd {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::vector<float> kTokens = {1, 2, 3, 4, 5, 6};

Batch TwoRows() {
  Batch batch;
  batch.tokens = kTokens;
  batch.hidden = 3;
  batch.layer = "layer_norm";
  return batch;
}

// Connects, or ends the test.
Client Connected(const ScriptedServer& server) {
  absl::StatusOr<Client> client = Client::Connect(server.address());
  EXPECT_TRUE(client.ok()) << client.status();
  return *std::move(client);
}

// The answer to two rows of three, with mean and rstd wanted, once `spoil` has been at it.
absl::Status StatusOfSpoiled(const std::function<void(v1::NormalizeResponse*)>& spoil) {
  const ScriptedServer server([&](const auto& context, const auto& request, auto* response) {
    const grpc::Status status = Echo(context, request, response);
    spoil(response);
    return status;
  });
  Batch batch = TwoRows();
  batch.want_mean = true;
  batch.want_rstd = true;
  return Connected(server).Normalize(batch).status();
}

TEST(MisfitTest, AnAnswerThatFitsIsTaken) {
  EXPECT_TRUE(StatusOfSpoiled([](v1::NormalizeResponse*) {}).ok());
}

TEST(MisfitTest, TokensOfAnotherSizeAreRefused) {
  const absl::Status status = StatusOfSpoiled([](auto* response) { response->mutable_data()->resize(20); });
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr("20 bytes of tokens"), HasSubstr("24")));
}

TEST(MisfitTest, MissingTokensAreRefused) {
  EXPECT_EQ(StatusOfSpoiled([](auto* response) { response->clear_data(); }).code(),
            absl::StatusCode::kInternal);
}

TEST(MisfitTest, AResidualSumThatNobodyAskedForIsRefused) {
  const absl::Status status = StatusOfSpoiled([](auto* response) { response->set_residual_sum("1234"); });
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), HasSubstr("4 bytes of residual sum"));
}

TEST(MisfitTest, MissingMeansAreRefused) {
  const absl::Status status = StatusOfSpoiled([](auto* response) { response->clear_mean(); });
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr("0 means"), HasSubstr("2")));
}

TEST(MisfitTest, TooManyRstdsAreRefused) {
  const absl::Status status = StatusOfSpoiled([](auto* response) { response->add_rstd(1); });
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), HasSubstr("3 rstds"));
}

TEST(MisfitTest, AHiddenBelowOneIsRefused) {
  EXPECT_EQ(StatusOfSpoiled([](auto* response) { response->set_hidden(0); }).code(),
            absl::StatusCode::kInternal);
}

// gRPC ends the process over these.
TEST(MisfitTest, MetadataThatCannotBeSentIsRefused) {
  const ScriptedServer server(Echo);
  const Client client = Connected(server);
  for (const auto& entry : std::vector<std::pair<std::string, std::string>>{
           {"Tenant", "blue"}, {"", "blue"}, {"te nant", "blue"}, {"tenant", "bl\nue"}}) {
    CallOptions options;
    options.metadata = {entry};
    EXPECT_EQ(client.Normalize(TwoRows(), options).status().code(), absl::StatusCode::kInvalidArgument);
    NormalizeStream stream = client.Stream(options);
    EXPECT_EQ(stream.Send(TwoRows()).code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST(MisfitTest, AStreamHoldsSoManyRequestsAndGoesOnOnceOneIsReceived) {
  const ScriptedServer server(Echo);
  const Client client = Connected(server);
  NormalizeStream stream = client.Stream();
  for (int64_t i = 0; i < NormalizeStream::kMaxInFlight; ++i) ASSERT_TRUE(stream.Send(TwoRows()).ok());
  EXPECT_EQ(stream.Send(TwoRows()).code(), absl::StatusCode::kResourceExhausted);
  const absl::StatusOr<StreamAnswer> answer = stream.Receive();
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->result.tokens, kTokens);
  EXPECT_TRUE(stream.Send(TwoRows()).ok());
}

}  // namespace
}  // namespace normd
