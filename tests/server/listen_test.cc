// SPDX-License-Identifier: Apache-2.0
//
// Where the server listens, and where it says that it cannot.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "grpc_server.h"
#include "listen_address.h"

namespace normd {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class ListenTest : public testing::Test {
 protected:
  ListenTest() {
    char name[] = "/tmp/normd_listen_XXXXXX";
    folder_ = mkdtemp(name);
    unix_ = "unix:" + (folder_ / "socket").string();
  }
  ~ListenTest() override { std::filesystem::remove_all(folder_); }

  absl::StatusOr<std::unique_ptr<GrpcServer>> Start(const std::vector<std::string>& listen) {
    GrpcServerOptions options;
    options.listen = listen;
    return GrpcServer::Start(options, &layers_, &metrics_);
  }

  // What a server leaves behind that was killed: a socket file that nobody listens on.
  void LeaveSocketFile() {
    sockaddr_un name = {};
    name.sun_family = AF_UNIX;
    std::strcpy(name.sun_path, (folder_ / "socket").c_str());
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    ASSERT_EQ(bind(fd, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
    close(fd);
  }

  LayerRegistry layers_{nullptr};
  Metrics metrics_;
  std::filesystem::path folder_;
  std::string unix_;
};

TEST_F(ListenTest, SecondServerOnAPortSaysSo) {
  const auto first = Start({"127.0.0.1:0"});
  ASSERT_TRUE(first.ok()) << first.status();
  const std::string address = (*first)->addresses().front();
  const auto second = Start({address});
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(second.status().message()), StartsWith("cannot listen on " + address + ": "));
}

TEST_F(ListenTest, SecondServerOnASocketFileSaysSoAndLeavesIt) {
  const auto first = Start({unix_});
  ASSERT_TRUE(first.ok()) << first.status();
  const auto second = Start({unix_});
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr("a server is listening there"));
  EXPECT_TRUE(std::filesystem::is_socket(folder_ / "socket"));
}

TEST_F(ListenTest, SocketFileOfADeadServerIsReplaced) {
  LeaveSocketFile();
  const auto server = Start({unix_, "127.0.0.1:0"});
  EXPECT_TRUE(server.ok()) << server.status();
}

TEST_F(ListenTest, SocketFileIsRemovedAtTheEnd) {
  const auto server = Start({unix_});
  ASSERT_TRUE(server.ok()) << server.status();
  EXPECT_TRUE(std::filesystem::exists(folder_ / "socket"));
  (*server)->Drain(std::chrono::seconds(1));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "socket"));
}

TEST_F(ListenTest, FileThatIsNoSocketIsLeft) {
  {
    std::ofstream(folder_ / "socket") << "mine";
  }
  EXPECT_EQ(Start({unix_}).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(std::filesystem::file_size(folder_ / "socket"), 4U);
}

TEST_F(ListenTest, WhatIsNoAddress) {
  for (const std::string address : {"", "8001", "127.0.0.1:", "unix:", "127.0.0.1:no\nport"}) {
    const auto server = Start({address});
    EXPECT_EQ(server.status().code(), absl::StatusCode::kInvalidArgument) << address;
    EXPECT_THAT(std::string(server.status().message()), StartsWith("expected an address")) << address;
  }
}

TEST(IsLocalTest, LoopbackAndUnixSocketsAlone) {
  for (const std::string address : {"127.0.0.1:1", "127.9.9.9:1", "localhost:1", "[::1]:1", "unix:/x"}) {
    EXPECT_TRUE(IsLocal(address)) << address;
  }
  for (const std::string address :
       {"0.0.0.0:1", "[::]:1", "10.0.0.1:1", "example.org:1", "localhost.org:1"}) {
    EXPECT_FALSE(IsLocal(address)) << address;
  }
}

}  // namespace
}  // namespace normd
