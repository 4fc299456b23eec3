// SPDX-License-Identifier: Apache-2.0
//
// How a server ends. Over a Unix socket: gRPC's channel inside the process drops its calls at the first sign
// of a shutdown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "handled.h"
#include "service_fixture.h"

namespace normd {
namespace {

constexpr std::chrono::seconds kGrace{600};  // a drain that waits for it never ends a test

std::string MakeFolder() {
  char name[] = "/tmp/normd_drain_XXXXXX";
  return mkdtemp(name);
}

class DrainTest : public ServiceTest {
 protected:
  DrainTest() : DrainTest(MakeFolder()) {}
  explicit DrainTest(const std::string& folder) : ServiceTest(Listening(folder)), folder_(folder) {
    Connect(grpc::CreateChannel(server_->addresses().front(), grpc::InsecureChannelCredentials()));
  }
  ~DrainTest() override { std::filesystem::remove_all(folder_); }

  static GrpcServerOptions Listening(const std::string& folder) {
    GrpcServerOptions options;
    options.listen = {"unix:" + folder + "/socket"};
    return options;
  }

  std::string folder_;
};

TEST_F(DrainTest, WatchTellsEachChangeAndDoesNotHoldADrain) {
  grpc::ClientContext context;
  const auto watch = health_->Watch(&context, {});
  health::HealthCheckResponse response;
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), health::HealthCheckResponse::NOT_SERVING);
  server_->SetServing();
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), health::HealthCheckResponse::SERVING);
  std::thread drain([&] { server_->Drain(kGrace); });
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), health::HealthCheckResponse::NOT_SERVING);
  EXPECT_FALSE(watch->Read(&response));
  // A drain that waited for its grace would have cancelled it. Under load the connection can close right
  // behind the trailers, which a client may take for UNAVAILABLE.
  EXPECT_THAT(watch->Finish().error_code(),
              testing::AnyOf(grpc::StatusCode::OK, grpc::StatusCode::UNAVAILABLE));
  drain.join();
}

TEST_F(DrainTest, DrainEndsAnIdleStream) {
  grpc::ClientContext context;
  const auto stream = normalizer_->NormalizeStream(&context);
  v1::NormalizeStreamResponse response;
  ASSERT_TRUE(stream->Write(RequestOf({1, 3}, 2)));
  ASSERT_TRUE(stream->Read(&response));
  server_->Drain(kGrace);
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

// A call is answered in whole, or told that the server is not there: none is dropped on its way.
TEST_F(DrainTest, CallsThatAreHereAreFinished) {
  std::atomic<int> answered = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      grpc::Status status;
      v1::NormalizeResponse response;
      while ((status = Normalize(RequestOf({1, 3}, 2), &response)).ok()) {
        EXPECT_EQ(response.data().size(), 8U);
        ++answered;
      }
      EXPECT_THAT(status.error_code(),
                  testing::AnyOf(grpc::StatusCode::UNAVAILABLE, grpc::StatusCode::CANCELLED));
    });
  }
  while (answered < 100) std::this_thread::yield();
  server_->Drain(kGrace);
  for (std::thread& caller : callers) caller.join();
}

// What a stream's caller reads before the end is in order and without a gap.
TEST_F(DrainTest, BusyStreamEndsBetweenAnswers) {
  grpc::ClientContext context;
  const auto stream = normalizer_->NormalizeStream(&context);
  std::thread writer([&] {
    auto request = RequestOf({1, 3}, 2);
    for (int i = 0; request.set_request_id(std::to_string(i)), stream->Write(request); ++i) {
    }
  });
  v1::NormalizeStreamResponse response;
  int answers = 0;
  std::thread drain;
  for (; stream->Read(&response); ++answers) {
    EXPECT_EQ(response.result().request_id(), std::to_string(answers));
    if (answers == 50) drain = std::thread([&] { server_->Drain(kGrace); });
  }
  writer.join();
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  ASSERT_GT(answers, 50);
  drain.join();
}

}  // namespace
}  // namespace normd
