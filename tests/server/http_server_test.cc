// SPDX-License-Identifier: Apache-2.0
//
// The HTTP port as a socket sees it.
#include "http_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <vector>

namespace normd {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A client of one request that says just the bytes it is told to.
class RawClient {
 public:
  explicit RawClient(const std::string& address) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in name = {};
    name.sin_family = AF_INET;
    name.sin_port = htons(static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = connect(fd_, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0;
  }
  ~RawClient() { close(fd_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  bool connected() const { return connected_; }
  bool Send(std::string_view bytes) const {
    return send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
  }
  // All until the server ends the connection.
  std::string ReadAll() const {
    std::string all;
    char bytes[65536];
    for (ssize_t n = 0; (n = recv(fd_, bytes, sizeof bytes, 0)) > 0;)
      all.append(bytes, static_cast<size_t>(n));
    return all;
  }
  std::string Ask(std::string_view bytes) const { return Send(bytes) ? ReadAll() : "not sent"; }

 private:
  int fd_;
  bool connected_ = false;
};

class HttpServerTest : public testing::Test {
 protected:
  static HttpResponse Answer(std::string_view path) {
    if (path == "/large") return {.body = std::string(8 << 20, 'x')};
    return {.body = "path " + std::string(path) + "\n"};
  }
  void Restart(const HttpLimits& limits) {
    server_ = *HttpServer::Start("127.0.0.1:0", Answer, [this] { ++ticks_; }, limits);
  }
  std::string Ask(std::string_view bytes) const { return RawClient(server_->address()).Ask(bytes); }

  std::atomic<int> ticks_ = 0;
  std::unique_ptr<HttpServer> server_ = *HttpServer::Start("127.0.0.1:0", Answer, [this] { ++ticks_; });
};

TEST_F(HttpServerTest, Answers) {
  EXPECT_THAT(Ask("GET /a?b HTTP/1.1\r\n\r\n"), HasSubstr("\r\n\r\npath /a\n"));
  EXPECT_THAT(Ask("HEAD /a HTTP/1.1\r\n\r\n"), testing::EndsWith("\r\n\r\n"));
}

TEST_F(HttpServerTest, ARequestMayComeInPieces) {
  const RawClient client(server_->address());
  for (const char c : std::string_view("GET /slow HTTP/1.1\r\nHost: here\r\n\r")) {
    ASSERT_TRUE(client.Send(std::string_view(&c, 1)));
  }
  EXPECT_THAT(client.Ask("\n"), HasSubstr("path /slow\n"));
}

TEST_F(HttpServerTest, ALargeAnswerArrivesWhole) {
  const std::string answer = Ask("GET /large HTTP/1.1\r\n\r\n");
  EXPECT_EQ(answer.size() - answer.find("\r\n\r\n") - 4, size_t{8} << 20);
}

TEST_F(HttpServerTest, OtherMethodsAreRefusedWhateverFollows) {
  const std::string post = "POST / HTTP/1.1\r\nContent-Length: 100000\r\n\r\n" + std::string(100000, 'x');
  EXPECT_THAT(Ask(post), StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(Ask("DELETE /metrics HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 405 "));
}

TEST_F(HttpServerTest, WhatIsNoHttpIsABadRequest) {
  EXPECT_THAT(Ask("hello\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Ask("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
}

TEST_F(HttpServerTest, AHeadWithoutEndIsRefused) {
  const std::string head = "GET / HTTP/1.1\r\nX: " + std::string(kMaxHttpHead, 'x');
  EXPECT_THAT(Ask(head), StartsWith("HTTP/1.1 431 "));
}

// More than there are places for: those that say nothing make room. Patience would never end them.
TEST_F(HttpServerTest, SilentClientsKeepNobodyOut) {
  Restart({.connections = 8, .patience = std::chrono::hours(1)});
  std::vector<std::unique_ptr<RawClient>> silent;
  for (int i = 0; i < 20; ++i) {
    silent.push_back(std::make_unique<RawClient>(server_->address()));
    ASSERT_TRUE(silent.back()->connected());
  }
  EXPECT_THAT(Ask("GET /a HTTP/1.1\r\n\r\n"), HasSubstr("path /a\n"));
  EXPECT_EQ(silent.front()->ReadAll(), "");
}

TEST_F(HttpServerTest, PatienceEnds) {
  Restart({.connections = 8, .patience = std::chrono::milliseconds(1)});
  const RawClient client(server_->address());
  ASSERT_TRUE(client.connected());
  EXPECT_EQ(client.ReadAll(), "");
}

TEST_F(HttpServerTest, CallsBackEachSecond) {
  while (ticks_ < 2) usleep(1000);
}

TEST_F(HttpServerTest, StopsWithClientsConnected) {
  const RawClient client(server_->address());
  ASSERT_TRUE(client.Send("GET /"));
  server_.reset();
  EXPECT_EQ(client.ReadAll(), "");
}

TEST_F(HttpServerTest, BadAddressesAreToldFromTakenOnes) {
  for (const char* address : {"", "nowhere", "127.0.0.1:", "127.0.0.1:99999", "unix:/tmp/x"}) {
    const auto server = HttpServer::Start(address, Answer, [] {});
    EXPECT_EQ(server.status().code(), absl::StatusCode::kInvalidArgument) << address;
  }
  const auto second = HttpServer::Start(server_->address(), Answer, [] {});
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(second.status().message()), StartsWith("cannot listen on " + server_->address()));
}

}  // namespace
}  // namespace normd
