// SPDX-License-Identifier: Apache-2.0
//
// Each limit from both sides, deadlines and cancellation, and large messages, which the workers take.

#include <gmock/gmock.h>

#include <chrono>
#include <thread>
#include <vector>

#include "handled.h"
#include "service_fixture.h"

namespace normd {
namespace {

using testing::HasSubstr;

// Of the built-in layer with `rows` of hidden 64: 256 bytes a row, and a few in front of them.
v1::NormalizeRequest RowsOf64(int64_t rows) {
  std::vector<float> tokens(static_cast<size_t>(rows) * 64);
  for (size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<float>(i % 97);
  return RequestOf(tokens, 64);
}

class ByteLimitTest : public ServiceTest {
 protected:
  static constexpr int64_t kBytes = 4096;
  ByteLimitTest() : ServiceTest({.listen = {}, .max_bytes_in_flight = kBytes}) {}
};

TEST_F(ByteLimitTest, AMessageCountsTwice) {
  v1::NormalizeResponse response;
  v1::NormalizeRequest request = RowsOf64(7);
  request.set_request_id(std::string(kBytes / 2 - request.ByteSizeLong() - 3, 'x'));
  ASSERT_EQ(2 * static_cast<int64_t>(request.ByteSizeLong()), kBytes);
  for (int i = 0; i < 100; ++i) {  // what is in flight is given back
    const grpc::Status status = Normalize(request, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
  }
  request.mutable_request_id()->push_back('x');
  const grpc::Status status = Normalize(request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("--max-bytes-in-flight"));
}

TEST_F(ByteLimitTest, SaysWhenToTryAgain) {
  v1::NormalizeResponse response;
  grpc::ClientContext context;
  const grpc::Status status = normalizer_->Normalize(&context, RowsOf64(9), &response);
  ASSERT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  const auto& metadata = context.GetServerTrailingMetadata();
  const auto pushback = metadata.find("grpc-retry-pushback-ms");
  ASSERT_NE(pushback, metadata.end());
  EXPECT_EQ(std::string(pushback->second.data(), pushback->second.size()), "100");
  EXPECT_THAT(status.error_details(), HasSubstr("type.googleapis.com/google.rpc.RetryInfo"));
}

TEST_F(ByteLimitTest, InAStreamItIsAnAnswer) {
  grpc::ClientContext context;
  const auto stream = normalizer_->NormalizeStream(&context);
  v1::NormalizeStreamResponse response;
  ASSERT_TRUE(stream->Write(RowsOf64(9)));
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_EQ(response.error().code(), static_cast<int>(grpc::StatusCode::RESOURCE_EXHAUSTED));
  ASSERT_TRUE(stream->Write(RowsOf64(1)));
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_TRUE(response.has_result());
  stream->WritesDone();
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_TRUE(stream->Finish().ok());
}

class LargeMessageTest : public ServiceTest {
 protected:
  LargeMessageTest() : ServiceTest({.listen = {}, .threads = 3}) {}

  // Its answer, computed whole by the handler alone.
  std::string ExpectedData(const v1::NormalizeRequest& request) {
    NormalizeHandler handler(&layers_);
    return Handle(&handler, request)->data();
  }
  // 900 KB, beyond what the poller's thread takes and enough for a task of its own for each half.
  const v1::NormalizeRequest request_ = RowsOf64(3600);
};

TEST_F(LargeMessageTest, HasTheBitsOfSmallOnes) {
  v1::NormalizeResponse response;
  const grpc::Status status = Normalize(request_, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.data(), ExpectedData(request_));
}

TEST_F(LargeMessageTest, StreamsOfThemKeepTheirOrder) {
  grpc::ClientContext context;
  const auto stream = normalizer_->NormalizeStream(&context);
  const std::string expected = ExpectedData(request_);
  std::thread writer([&] {
    for (int i = 0; i < 6; ++i) {
      v1::NormalizeRequest request = i % 2 == 0 ? request_ : RowsOf64(2);
      request.set_request_id(std::to_string(i));
      EXPECT_TRUE(stream->Write(request));
    }
    stream->WritesDone();
  });
  v1::NormalizeStreamResponse response;
  for (int i = 0; i < 6; ++i) {
    EXPECT_TRUE(stream->Read(&response));
    EXPECT_EQ(response.result().request_id(), std::to_string(i));
    EXPECT_TRUE(i % 2 == 1 || response.result().data() == expected) << i;
  }
  writer.join();
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_TRUE(stream->Finish().ok());
}

// More at once than there are places at the start, and clients that leave in the midst of it.
TEST_F(LargeMessageTest, ManyAtOnceAndCancelledOnes) {
  const std::string expected = ExpectedData(request_);
  const auto call = [&](int client, int turn) {
    grpc::ClientContext context;
    const bool impatient = client % 2 == 1;
    if (impatient)
      context.set_deadline(std::chrono::system_clock::now() + std::chrono::microseconds(300 * turn));
    v1::NormalizeResponse response;
    const grpc::Status status = normalizer_->Normalize(&context, request_, &response);
    EXPECT_TRUE(impatient || status.ok()) << status.error_message();
    EXPECT_TRUE(!status.ok() || response.data() == expected);
  };
  std::vector<std::thread> clients;
  for (int client = 0; client < 40; ++client) {
    clients.emplace_back([&, client] {
      for (int turn = 0; turn < 4; ++turn) call(client, turn);
    });
  }
  for (std::thread& client : clients) client.join();
  v1::NormalizeResponse response;
  EXPECT_TRUE(Normalize(RowsOf64(1), &response).ok());
}

// Between chunks, by a handler that is given a flag.
TEST(CancellationTest, IsSeenBetweenChunks) {
  const LayerRegistry layers(*DefaultTarget());
  NormalizeHandler handler(&layers);
  const std::string bytes = RowsOf64(3600).SerializeAsString();
  const std::string_view slice = bytes;
  std::atomic<bool> cancelled = true;
  Call call{.message = {&slice, 1}, .arrival = Clock::now(), .cancelled = &cancelled};
  Answer answer;
  EXPECT_EQ(handler.Handle(call, Framing::kUnary, &answer).code(), absl::StatusCode::kCancelled);
  cancelled = false;
  EXPECT_TRUE(handler.Handle(call, Framing::kUnary, &answer).ok());
}

class MetadataLimitTest : public ServiceTest {
 protected:
  MetadataLimitTest() : ServiceTest({.listen = {"127.0.0.1:0"}, .max_metadata_bytes = 4096}) {}
  // On a connection of its own: gRPC may close the one on which it refused metadata.
  grpc::StatusCode CodeWith(size_t bytes) {
    grpc::ClientContext context;
    context.AddMetadata("x-filler", std::string(bytes, 'a'));
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    Connect(
        grpc::CreateCustomChannel(server_->addresses()[0], grpc::InsecureChannelCredentials(), arguments));
    v1::NormalizeResponse response;
    return normalizer_->Normalize(&context, RowsOf64(1), &response).error_code();
  }
};

TEST_F(MetadataLimitTest, FromBothSides) {
  EXPECT_EQ(CodeWith(2048), grpc::StatusCode::OK);
  EXPECT_EQ(CodeWith(8192), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(CodeWith(2048), grpc::StatusCode::OK);
}

}  // namespace
}  // namespace normd
