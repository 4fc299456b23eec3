// SPDX-License-Identifier: Apache-2.0
#include "socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace normd::bench {
namespace {

constexpr std::string_view kUnix = "unix:";

[[noreturn]] void Fail(const std::string& what) {
  throw std::runtime_error(what + ": " + strerror(errno));  // NOLINT(concurrency-mt-unsafe): one thread
}

union Name {
  sockaddr any;
  sockaddr_un local;
  sockaddr_in internet;
};

Name NameOf(const std::string& address) {
  Name name{};
  if (address.starts_with(kUnix)) {
    const std::string path = address.substr(kUnix.size());
    if (path.size() >= sizeof(name.local.sun_path))
      throw std::runtime_error("the path of a socket is longer than " +
                               std::to_string(sizeof(name.local.sun_path) - 1) + " bytes: " + path);
    name.local.sun_family = AF_UNIX;
    memcpy(name.local.sun_path, path.c_str(), path.size() + 1);
    return name;
  }
  const size_t colon = address.rfind(':');
  name.internet.sin_family = AF_INET;
  if (colon == std::string::npos ||
      inet_pton(AF_INET, address.substr(0, colon).c_str(), &name.internet.sin_addr) != 1)
    throw std::runtime_error("expected unix:/path or 127.0.0.1:port, got " + address);
  name.internet.sin_port = htons(static_cast<uint16_t>(std::stoi(address.substr(colon + 1))));
  return name;
}

socklen_t SizeOf(const Name& name) {
  return name.any.sa_family == AF_UNIX ? sizeof(name.local) : sizeof(name.internet);
}

Socket Open(const Name& name) {
  Socket socket(::socket(name.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.valid()) Fail("cannot open a socket");
  return socket;
}

// As gRPC sets it; on a Unix socket it is not there, and not needed.
void SendAtOnce(const Socket& socket) {
  const int on = 1;
  setsockopt(socket.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

}  // namespace

Socket::~Socket() {
  if (fd_ >= 0) close(fd_);
}

Socket Listen(const std::string& address) {
  const Name name = NameOf(address);
  Socket socket = Open(name);
  if (bind(socket.fd(), &name.any, SizeOf(name)) != 0 || listen(socket.fd(), 16) != 0)
    Fail("cannot listen on " + address);
  return socket;
}

Socket Accept(const Socket& listener) {
  Socket socket(accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!socket.valid()) Fail("cannot accept a connection");
  SendAtOnce(socket);
  return socket;
}

Socket TryConnect(const std::string& address) {
  const Name name = NameOf(address);
  Socket socket = Open(name);
  if (connect(socket.fd(), &name.any, SizeOf(name)) != 0) return Socket();
  SendAtOnce(socket);
  return socket;
}

std::string FreeTcpAddress() {
  const Socket socket = Listen("127.0.0.1:0");
  Name name{};
  socklen_t size = sizeof(name);
  if (getsockname(socket.fd(), &name.any, &size) != 0) Fail("cannot find a free port");
  return "127.0.0.1:" + std::to_string(ntohs(name.internet.sin_port));
}

bool ReadAll(int fd, void* data, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t n = read(fd, static_cast<char*>(data) + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) Fail("cannot read");
    if (n == 0 && done == 0) return false;
    if (n == 0) throw std::runtime_error("the other end closed in the middle of a message");
    done += static_cast<size_t>(n);
  }
  return true;
}

void WriteAll(int fd, const void* data, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t n = write(fd, static_cast<const char*>(data) + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) Fail("cannot write");
    done += static_cast<size_t>(n);
  }
}

}  // namespace normd::bench
