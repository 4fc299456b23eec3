// SPDX-License-Identifier: Apache-2.0
//
// The service through a channel inside the process: no port, and gRPC's own generated stubs.
#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "handled.h"
#include "service_fixture.h"

namespace normd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(ServiceTest, HandlerAndServiceGiveTheSameBits) {
  NormalizeHandler handler(&layers_);
  std::vector<float> tokens(60000);  // long enough to arrive in more than one slice
  for (size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<float>(i * 31 % 977);
  const auto request = RequestOf(tokens, 600, {40, 0, 60});
  v1::NormalizeResponse response;
  const grpc::Status status = Normalize(request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.data(), Handle(&handler, request)->data());
  EXPECT_THAT(response.token_counts(), ElementsAre(40, 0, 60));
  EXPECT_GE(response.timings().total_ns(), response.timings().compute_ns());
}

TEST_F(ServiceTest, PlacesAreUsedAgain) {
  for (int i = 0; i < 200; ++i) {
    v1::NormalizeResponse response;
    ASSERT_TRUE(Normalize(RequestOf({1, 3}, 2), &response).ok());
    ASSERT_EQ(Normalize(RequestOf({1, 3}, 3), &response).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  }
}

TEST_F(ServiceTest, ManyCallersAtOnce) {
  std::atomic<int> good = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back([&] {
      for (int call = 0; call < 100; ++call) {
        v1::NormalizeResponse response;
        if (Normalize(RequestOf({1, 3}, 2), &response).ok() && response.data().size() == 8) ++good;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(good, 800);
}

TEST_F(ServiceTest, ErrorsKeepCodeAndText) {
  auto request = RequestOf({1, 3}, 2);
  request.set_layer("no such");
  v1::NormalizeResponse response;
  const grpc::Status status = Normalize(request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(status.error_message(), HasSubstr("\"no such\""));
}

TEST_F(ServiceTest, MalformedBytesAreAnInvalidArgumentWithAText) {
  grpc::GenericStub stub(channel_);
  grpc::CompletionQueue queue;
  grpc::ClientContext context;
  const grpc::Slice bytes("\x0a\x05only", 6);
  const auto call =
      stub.PrepareUnaryCall(&context, "/normd.v1.Normalizer/Normalize", grpc::ByteBuffer(&bytes, 1), &queue);
  grpc::ByteBuffer response;
  grpc::Status status;
  call->StartCall();
  call->Finish(&response, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  ASSERT_TRUE(queue.Next(&tag, &ok));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_NE(status.error_message(), "");
}

TEST_F(ServiceTest, MessageOverTheLimitIsRefused) {
  v1::NormalizeResponse response;
  const std::vector<float> tokens(kMaxMessageBytes / sizeof(float));
  EXPECT_EQ(Normalize(RequestOf(tokens, 64), &response).error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(Normalize(RequestOf({1, 3}, 2), &response).ok());
}

TEST_F(ServiceTest, StreamAnswersInOrderAndGoesOnAfterErrors) {
  grpc::ClientContext context;
  const auto stream = normalizer_->NormalizeStream(&context);
  constexpr int kRequests = 60;
  std::thread writer([&] {
    for (int i = 0; i < kRequests; ++i) {
      auto request = RequestOf({1, 3, 5, static_cast<float>(i)}, i % 3 == 0 ? 3 : 2);
      request.set_request_id(std::to_string(i));
      EXPECT_TRUE(stream->Write(request));
    }
    stream->WritesDone();
  });
  for (int i = 0; i < kRequests; ++i) {
    v1::NormalizeStreamResponse response;
    ASSERT_TRUE(stream->Read(&response));
    EXPECT_EQ(response.has_error(), i % 3 == 0);
    EXPECT_EQ(i % 3 == 0 ? response.error().request_id() : response.result().request_id(), std::to_string(i));
  }
  writer.join();
  v1::NormalizeStreamResponse response;
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(ServiceTest, StreamThatItsCallerLeavesHoldsNothing) {
  for (int i = 0; i < 20; ++i) {
    grpc::ClientContext context;
    const auto stream = normalizer_->NormalizeStream(&context);
    EXPECT_TRUE(stream->Write(RequestOf({1, 3}, 2)));
    context.TryCancel();
    EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::CANCELLED);
  }
  v1::NormalizeResponse response;
  EXPECT_TRUE(Normalize(RequestOf({1, 3}, 2), &response).ok());
}

TEST_F(ServiceTest, ListsLayersAndSaysWhatItIs) {
  grpc::ClientContext list_context;
  v1::ListLayersResponse list;
  ASSERT_TRUE(normalizer_->ListLayers(&list_context, {}, &list).ok());
  ASSERT_EQ(list.layers_size(), 2);
  EXPECT_EQ(list.layers(0).name(), "layer_norm");
  EXPECT_EQ(list.layers(0).kind(), v1::LAYER_NORM);
  EXPECT_EQ(list.layers(1).kind(), v1::RMS_NORM);
  grpc::ClientContext info_context;
  v1::GetServerInfoResponse info;
  ASSERT_TRUE(normalizer_->GetServerInfo(&info_context, {}, &info).ok());
  EXPECT_EQ(info.numerics_revision(), kNumericsRevision);
  EXPECT_EQ(info.limits().max_message_bytes(), kMaxMessageBytes);
  EXPECT_THAT(std::vector<std::string>(info.targets().begin(), info.targets().end()),
              testing::Contains(info.active_target()));
}

TEST_F(ServiceTest, HealthFollowsTheServer) {
  health::HealthCheckResponse response;
  ASSERT_TRUE(Check("", &response).ok());
  EXPECT_EQ(response.status(), health::HealthCheckResponse::NOT_SERVING);
  server_->SetServing();
  for (const char* service : {"", "normd.v1.Normalizer"}) {
    ASSERT_TRUE(Check(service, &response).ok());
    EXPECT_EQ(response.status(), health::HealthCheckResponse::SERVING);
  }
  EXPECT_EQ(Check("no such", &response).error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(ServiceTest, WatchOfAnUnknownServiceSaysSo) {
  grpc::ClientContext context;
  health::HealthCheckRequest request;
  request.set_service("no such");
  const auto watch = health_->Watch(&context, request);
  health::HealthCheckResponse response;
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), health::HealthCheckResponse::SERVICE_UNKNOWN);
  context.TryCancel();
  EXPECT_EQ(watch->Finish().error_code(), grpc::StatusCode::CANCELLED);
}

}  // namespace
}  // namespace normd
