// SPDX-License-Identifier: Apache-2.0
#include "to_grpc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace normd {
namespace {

using std::chrono::seconds;

TEST(ToGrpcTest, CodesKeepTheirMeaning) {
  EXPECT_TRUE(ToGrpc(absl::OkStatus()).ok());
  EXPECT_EQ(ToGrpc(absl::InvalidArgumentError("")).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(ToGrpc(absl::DeadlineExceededError("")).error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(ToGrpc(absl::NotFoundError("")).error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(ToGrpc(absl::UnimplementedError("")).error_code(), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(ToGrpc(absl::UnauthenticatedError("")).error_code(), grpc::StatusCode::UNAUTHENTICATED);
}

TEST(ToGrpcTest, TextOfTheLimitIsWhole) {
  const std::string text(1024, 't');
  EXPECT_EQ(ToGrpc(absl::InternalError(text)).error_message(), text);
  EXPECT_EQ(ToGrpc(absl::InternalError(text + "t")).error_message(), text);
}

// Characters of two, three and four bytes, begun at each place around the limit.
TEST(ToGrpcTest, TextIsCutBetweenCharacters) {
  for (const std::string character : {"\u00e9", "\u20ac", "\U0001F600"}) {
    for (size_t lead = 1020; lead <= 1024; ++lead) {
      const std::string text = std::string(lead, 't') + character;
      const std::string fitting = text.size() <= 1024 ? text : std::string(lead, 't');
      EXPECT_EQ(ToGrpc(absl::InternalError(text)).error_message(), fitting);
    }
  }
}

TEST(ToClockTest, NoDeadlineIsTheEndOfTime) {
  for (const gpr_clock_type clock : {GPR_CLOCK_MONOTONIC, GPR_CLOCK_REALTIME}) {
    EXPECT_EQ(ToClock(gpr_inf_future(clock), Clock::now()), Clock::time_point::max());
  }
}

gpr_timespec Ahead(gpr_clock_type clock, int64_t by) {
  return gpr_time_add(gpr_now(clock), gpr_time_from_seconds(by, GPR_TIMESPAN));
}

// Bounds, not durations: a test that is held up for an hour still passes.
TEST(ToClockTest, DeadlineKeepsItsDistance) {
  const Clock::time_point now = Clock::now();
  for (const gpr_clock_type clock : {GPR_CLOCK_MONOTONIC, GPR_CLOCK_REALTIME}) {
    const Clock::time_point ahead = ToClock(Ahead(clock, 7200), now);
    EXPECT_LE(ahead, now + seconds(7200));
    EXPECT_GT(ahead, now + seconds(3600));
    EXPECT_LT(ToClock(Ahead(clock, -1), now), now);
    EXPECT_LT(ToClock(gpr_inf_past(clock), now), now);
    EXPECT_GT(ToClock(Ahead(clock, int64_t{1} << 40), now), now + seconds(7200));
  }
}

std::string SentBytes(Answer* answer) {
  grpc::ByteBuffer buffer;
  ToByteBuffer(answer, &buffer);
  MessageSlices slices;
  std::string bytes;
  for (const std::string_view slice : slices.View(buffer)) bytes.append(slice);
  EXPECT_EQ(buffer.Length(), bytes.size());
  return bytes;
}

TEST(ToByteBufferTest, HeadAndPayloadsInOrder) {
  Answer answer;
  answer.head = "head";
  std::fill_n(answer.normalized.Allocate(3), 3, std::byte{'p'});
  EXPECT_EQ(SentBytes(&answer), "headppp");
  answer.Clear();
  answer.head = "head";
  std::fill_n(answer.residual_sum.Allocate(2), 2, std::byte{'r'});
  answer.between = "between";
  std::fill_n(answer.normalized.Allocate(3), 3, std::byte{'p'});
  EXPECT_EQ(SentBytes(&answer), "headrrbetweenppp");
}

TEST(ToByteBufferTest, NothingIsNoSlice) {
  Answer answer;
  EXPECT_EQ(SentBytes(&answer), "");
  MessageSlices slices;
  EXPECT_EQ(slices.View(grpc::ByteBuffer()).size(), 0U);
}

}  // namespace
}  // namespace normd
