// SPDX-License-Identifier: Apache-2.0
//
// What the transport counts of the calls that were made.
#include <gtest/gtest.h>

#include "handled.h"
#include "service_fixture.h"

namespace normd {
namespace {

// The server counts before it sends, so that an answer that was received has been counted; the end of a
// stream is counted behind its status.
class CountingTest : public ServiceTest {
 protected:
  const MethodMetrics& Of(Method method) const { return metrics_[method]; }
};

TEST_F(CountingTest, UnaryCallsByCode) {
  v1::NormalizeResponse response;
  const auto good = RequestOf({1, 3, 5, 6}, 2);
  ASSERT_TRUE(Normalize(good, &response).ok());
  EXPECT_FALSE(Normalize(RequestOf({1, 3}, 3), &response).ok());
  const MethodMetrics& counts = Of(Method::kNormalize);
  EXPECT_EQ(counts.calls.begun(), 2U);
  EXPECT_EQ(counts.calls.ended(grpc::StatusCode::OK), 1U);
  EXPECT_EQ(counts.calls.ended(grpc::StatusCode::INVALID_ARGUMENT), 1U);
  EXPECT_EQ(counts.calls.in_flight(), 0U);
  EXPECT_EQ(counts.received.value(), 2U);
  EXPECT_EQ(counts.received_bytes.value(), good.ByteSizeLong() + RequestOf({1, 3}, 3).ByteSizeLong());
  EXPECT_EQ(counts.sent.value(), 1U);
  EXPECT_GT(counts.sent_bytes.value(), 4 * sizeof(float));
  EXPECT_EQ(counts.rows.value(), 2U);
  EXPECT_GT(counts.calls.latencies().sum_seconds(), 0);
}

TEST_F(CountingTest, MessagesOfAStreamAreRequestsOfTheirOwn) {
  grpc::ClientContext context;
  const auto stream = normalizer_->NormalizeStream(&context);
  v1::NormalizeStreamResponse response;
  for (const int64_t hidden : {2, 3, 1}) {
    ASSERT_TRUE(stream->Write(RequestOf({1, 3}, hidden)));
    ASSERT_TRUE(stream->Read(&response));
  }
  const MethodMetrics& counts = Of(Method::kNormalizeStream);
  EXPECT_EQ(counts.calls.in_flight(), 1U);
  EXPECT_EQ(counts.messages.ended(grpc::StatusCode::OK), 2U);
  EXPECT_EQ(counts.messages.ended(grpc::StatusCode::INVALID_ARGUMENT), 1U);
  EXPECT_EQ(counts.rows.value(), 3U);
  EXPECT_EQ(counts.received.value(), 3U);
  EXPECT_EQ(counts.sent.value(), 3U);
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
  server_->Drain(std::chrono::seconds(600));
  EXPECT_EQ(counts.calls.ended(grpc::StatusCode::OK), 1U);
  EXPECT_EQ(counts.calls.in_flight(), 0U);
}

TEST_F(CountingTest, ADeadlineThatPassedIsARejection) {
  NormalizeHandler handler(&layers_);
  const std::string bytes = RequestOf({1, 3}, 2).SerializeAsString();
  const std::string_view slice = bytes;
  Call call;
  call.message = {&slice, 1};
  call.deadline = Clock::time_point::min();
  Answer answer;
  handler.Handle(call, Framing::kStream, &answer).IgnoreError();
  EXPECT_EQ(handler.status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(handler.rows(), 0);
  metrics_.RejectFor(static_cast<int>(handler.status().code()));
  EXPECT_EQ(metrics_.rejected(Rejection::kDeadline), 1U);
}

TEST_F(CountingTest, HealthChecksAndWatches) {
  health::HealthCheckResponse response;
  ASSERT_TRUE(Check("", &response).ok());
  EXPECT_FALSE(Check("no such", &response).ok());
  EXPECT_EQ(Of(Method::kHealthCheck).calls.ended(grpc::StatusCode::OK), 1U);
  EXPECT_EQ(Of(Method::kHealthCheck).calls.ended(grpc::StatusCode::NOT_FOUND), 1U);
  grpc::ClientContext context;
  const auto watch = health_->Watch(&context, {});
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(Of(Method::kHealthWatch).calls.in_flight(), 1U);
  EXPECT_EQ(Of(Method::kHealthWatch).sent.value(), 1U);
  context.TryCancel();
  EXPECT_FALSE(watch->Finish().ok());
  server_->Drain(std::chrono::seconds(600));
  EXPECT_EQ(Of(Method::kHealthWatch).calls.ended(), 1U);
}

}  // namespace
}  // namespace normd
