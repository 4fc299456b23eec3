// SPDX-License-Identifier: Apache-2.0
//
// NormalizeStream against the fake server.
#include <gtest/gtest.h>

#include "fake_server.h"
#include "normd/client.h"

namespace normd {
namespace {

class StreamTest : public testing::Test {
 protected:
  FakeServer server_;
  Client client_ = *Client::Connect(server_.address());
};

TEST_F(StreamTest, AnswersManyInOrder) {
  NormalizeStream stream = client_.Stream();
  for (int i = 0; i < 50; ++i) {
    const std::vector<float> tokens(10, static_cast<float>(i));  // copied: it goes before the answer comes
    ASSERT_TRUE(stream.Send({.tokens = tokens, .hidden = 5, .layer = "layer_norm"}).ok());
  }
  EXPECT_EQ(stream.in_flight(), 50);
  for (int i = 0; i < 50; ++i) {
    const auto answer = stream.Receive();
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(answer->result.tokens, std::vector<float>(10, static_cast<float>(i) + 1));
  }
  EXPECT_EQ(stream.in_flight(), 0);
  EXPECT_TRUE(stream.Close().ok());
}

TEST_F(StreamTest, GoesOnAfterARequestThatFailed) {
  NormalizeStream stream = client_.Stream();
  const std::vector<float> tokens{1, 2};
  ASSERT_TRUE(stream.Send({.tokens = tokens, .hidden = 2, .layer = "missing", .request_id = "first"}).ok());
  ASSERT_TRUE(
      stream.Send({.tokens = tokens, .hidden = 2, .layer = "layer_norm", .request_id = "second"}).ok());
  const auto first = stream.Receive();
  const auto second = stream.Receive();
  EXPECT_EQ(first->status, absl::NotFoundError("no layer of that name"));
  EXPECT_EQ(first->result.request_id, "first");
  EXPECT_TRUE(second->status.ok());
  EXPECT_EQ(second->result.request_id, "second");
}

TEST_F(StreamTest, GivesTheStatusThatEndedIt) {
  NormalizeStream stream = client_.Stream();
  const std::vector<float> tokens{1, 2};
  ASSERT_TRUE(stream.Send({.tokens = tokens, .hidden = 2, .layer = "broken stream"}).ok());
  EXPECT_EQ(stream.Receive().status(), absl::DataLossError("the stream broke"));
  EXPECT_EQ(stream.Send({.tokens = tokens, .hidden = 2}), absl::DataLossError("the stream broke"));
  EXPECT_EQ(stream.Close(), absl::DataLossError("the stream broke"));
}

TEST_F(StreamTest, NothingInFlightIsNothingToReceive) {
  NormalizeStream stream = client_.Stream();
  EXPECT_EQ(stream.Receive().status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(StreamTest, CanBeDroppedWithRequestsInFlight) {
  const std::vector<float> tokens{1, 2};
  NormalizeStream stream = client_.Stream();
  ASSERT_TRUE(stream.Send({.tokens = tokens, .hidden = 2, .layer = "slow"}).ok());
  ASSERT_TRUE(stream.Send({.tokens = tokens, .hidden = 2, .layer = "layer_norm"}).ok());
}

TEST_F(StreamTest, EndsAtItsDeadline) {
  NormalizeStream stream = client_.Stream({.timeout = absl::Milliseconds(20), .metadata = {}});
  const std::vector<float> tokens{1, 2};
  ASSERT_TRUE(stream.Send({.tokens = tokens, .hidden = 2, .layer = "slow"}).ok());
  EXPECT_EQ(stream.Receive().status().code(), absl::StatusCode::kDeadlineExceeded);
}

}  // namespace
}  // namespace normd
