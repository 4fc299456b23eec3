// SPDX-License-Identifier: Apache-2.0
//
// Blocking sockets, for the ping-pong that no RPC can beat. Addresses are as gRPC takes them: unix:/path or
// host:port, the host in figures. Errors are thrown as std::runtime_error.

#ifndef NORMD_TESTS_BENCH_SERVICE_SOCKET_H_
#define NORMD_TESTS_BENCH_SERVICE_SOCKET_H_

#include <cstddef>
#include <string>
#include <utility>

namespace normd::bench {

class Socket {
 public:
  explicit Socket(int fd = -1) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Socket();

  int fd() const { return fd_; }
  bool valid() const { return fd_ >= 0; }

 private:
  int fd_;
};

Socket Listen(const std::string& address);
Socket Accept(const Socket& listener);

// Not valid where nobody listens.
Socket TryConnect(const std::string& address);

// A port of 127.0.0.1 on which nobody listened just now.
std::string FreeTcpAddress();

// False where the other end closed before the first byte.
bool ReadAll(int fd, void* data, size_t size);
void WriteAll(int fd, const void* data, size_t size);

}  // namespace normd::bench

#endif  // NORMD_TESTS_BENCH_SERVICE_SOCKET_H_
