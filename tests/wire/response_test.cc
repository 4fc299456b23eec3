// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "cut.h"
#include "normd/v1/normalizer.pb.h"
#include "to_proto.h"
#include "wire/normalize_response.h"

namespace normd::wire {
namespace {

constexpr std::array<int64_t, 4> kCounts = {6, 0, -1, std::numeric_limits<int64_t>::max()};
constexpr std::array<float, 3> kMean = {1.5F, -0.0F, std::numeric_limits<float>::quiet_NaN()};
constexpr std::array<float, 2> kRstd = {0.5F, std::numeric_limits<float>::denorm_min()};

ResponseHead FullHead(Payload payload, std::string_view bytes) {
  return {.request_id = "a request",
          .data_type = 1,
          .hidden = 384,
          .token_counts = kCounts,
          .timings = {.queue_ns = 1, .compute_ns = 0, .total_ns = ~uint64_t{0}},
          .mean = kMean,
          .rstd = kRstd,
          .payload = payload,
          .payload_size = bytes.size()};
}

ResponseHead HeadOf(std::string_view request_id) {
  ResponseHead head;
  head.request_id = request_id;
  return head;
}

// FullHead as protobuf's message.
v1::NormalizeResponse FullMessage() {
  v1::NormalizeResponse message;
  message.set_request_id("a request");
  message.set_data_type(v1::FLOAT32);
  message.set_hidden(384);
  message.mutable_token_counts()->Assign(kCounts.begin(), kCounts.end());
  message.mutable_timings()->set_queue_ns(1);
  message.mutable_timings()->set_total_ns(~uint64_t{0});
  message.mutable_mean()->Assign(kMean.begin(), kMean.end());
  message.mutable_rstd()->Assign(kRstd.begin(), kRstd.end());
  return message;
}

std::string Written(const ResponseHead& head, std::string_view payload) {
  std::string out;
  AppendResponseHead(head, &out);
  return out.append(payload);
}

// Byte for byte, which says the most: order, packed form, what is left out.
TEST(ResponseWriterTest, WritesWhatProtobufWrites) {
  v1::NormalizeResponse message = FullMessage();
  EXPECT_EQ(Written(FullHead(Payload::kNone, ""), ""), message.SerializeAsString());
  message.set_data("payload");
  EXPECT_EQ(Written(FullHead(Payload::kData, "payload"), "payload"), message.SerializeAsString());
}

TEST(ResponseWriterTest, WritesValuesAsPackedFloats) {
  v1::NormalizeResponse message = FullMessage();
  message.add_values(1.25F);
  message.add_values(-3.0F);
  const std::string_view bytes(reinterpret_cast<const char*>(message.values().data()), 8);
  EXPECT_EQ(Written(FullHead(Payload::kValues, bytes), bytes), message.SerializeAsString());
}

TEST(ResponseWriterTest, WritesTheResidualSumBeforeThePayload) {
  for (size_t size : {0, 1, 127, 128, 16384}) {
    const std::string sum(size, 's');
    ResponseHead head = FullHead(Payload::kData, "payload");
    head.residual_sum = Payload::kResidualSum;
    head.residual_sum_size = size;
    std::string out;
    std::string between;
    AppendStreamResponseHead(head, &out);
    AppendBetween(head, &between);
    v1::NormalizeStreamResponse expected;
    *expected.mutable_result() = FullMessage();
    expected.mutable_result()->set_residual_sum(sum);
    expected.mutable_result()->set_data("payload");
    out.append(sum).append(between).append("payload");
    EXPECT_EQ(out, expected.SerializeAsString()) << size;
  }
}

TEST(ResponseWriterTest, WritesAResidualSumAlone) {
  v1::NormalizeResponse message = FullMessage();
  message.add_residual_sum_values(1.25F);
  const std::string_view bytes(reinterpret_cast<const char*>(message.residual_sum_values().data()), 4);
  ResponseHead head = FullHead(Payload::kNone, "");
  head.residual_sum = Payload::kResidualSumValues;
  head.residual_sum_size = bytes.size();
  std::string between;
  AppendBetween(head, &between);
  EXPECT_EQ(Written(head, bytes) + between, message.SerializeAsString());
}

TEST(ResponseWriterTest, AnEmptyPayloadIsPresent) {
  v1::NormalizeResponse message;
  ResponseHead head;
  head.payload = Payload::kData;
  ASSERT_TRUE(message.ParseFromString(Written(head, "")));
  EXPECT_TRUE(message.has_data());
  EXPECT_EQ(message.data(), "");
  head.payload = Payload::kValues;
  ASSERT_TRUE(message.ParseFromString(Written(head, "")));
  EXPECT_EQ(message.values_size(), 0);
}

TEST(ResponseWriterTest, AnEmptyAnswerHasItsTimingsOnly) {
  v1::NormalizeResponse message;
  message.mutable_timings();
  EXPECT_EQ(Written({}, ""), message.SerializeAsString());
}

TEST(ResponseWriterTest, WritesEachLengthOfPayload) {
  for (size_t size : {0, 1, 127, 128, 16383, 16384, 2097151, 2097152}) {
    const std::string payload(size, 'x');
    std::string out;
    AppendStreamResponseHead(FullHead(Payload::kData, payload), &out);
    v1::NormalizeStreamResponse expected;
    *expected.mutable_result() = FullMessage();
    expected.mutable_result()->set_data(payload);
    EXPECT_EQ(out + payload, expected.SerializeAsString()) << size;
  }
}

TEST(ResponseWriterTest, AppendsBehindWhatIsThere) {
  std::string out = "before";
  AppendStreamResponseHead(HeadOf("id"), &out);
  v1::NormalizeStreamResponse message;
  ASSERT_TRUE(message.ParseFromString(out.substr(6)));
  EXPECT_EQ(message.result().request_id(), "id");
}

TEST(ResponseWriterTest, WritesTheErrorOfAStream) {
  v1::NormalizeStreamResponse expected;
  expected.mutable_error()->set_code(3);
  expected.mutable_error()->set_message("expected 4, got 5");
  expected.mutable_error()->set_request_id("id");
  std::string out;
  AppendStreamError(3, "expected 4, got 5", "id", &out);
  EXPECT_EQ(out, expected.SerializeAsString());
}

TEST(ResponseReaderTest, ReadsWhatTheWriterWroteCutAnywhere) {
  v1::NormalizeResponse expected = FullMessage();
  expected.set_data("payload");
  const std::string bytes = Written(FullHead(Payload::kData, "payload"), "payload");
  NormalizeResponse response;
  for (size_t cut = 0; cut <= bytes.size(); ++cut) {
    const CutMessage message(bytes, {cut, 2, 0, 5});
    ASSERT_TRUE(ReadNormalizeResponse(message.slices(), &response).ok()) << cut;
    EXPECT_EQ(ToProto(response, message.slices()).SerializeAsString(), expected.SerializeAsString()) << cut;
  }
}

TEST(StreamReaderTest, TheLaterAlternativeReplacesTheEarlier) {
  std::string error;
  AppendStreamError(5, "no layer of that name", "id", &error);
  std::string result;
  AppendStreamResponseHead(HeadOf("other"), &result);
  NormalizeStreamResponse response;
  const std::string error_last = result + error;
  ASSERT_TRUE(ReadNormalizeStreamResponse(std::vector<std::string_view>{error_last}, &response).ok());
  EXPECT_EQ(response.answer, Answer::kError);
  EXPECT_EQ(response.error_code, 5);
  EXPECT_EQ(response.result.request_id, "");
  const std::string result_last = error + result;
  ASSERT_TRUE(ReadNormalizeStreamResponse(std::vector<std::string_view>{result_last}, &response).ok());
  EXPECT_EQ(response.answer, Answer::kResult);
  EXPECT_EQ(response.error_code, 0);
  EXPECT_EQ(response.result.request_id, "other");
}

}  // namespace
}  // namespace normd::wire
