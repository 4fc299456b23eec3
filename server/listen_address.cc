// SPDX-License-Identifier: Apache-2.0
#include "listen_address.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace normd {
namespace {

constexpr std::string_view kUnix = "unix:";

// A file descriptor that closes itself.
class Socket {
 public:
  Socket(int family, int type) : fd_(socket(family, type | SOCK_CLOEXEC, 0)) {}
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

std::string Shown(const std::string& address) { return absl::CHexEscape(address.substr(0, 256)); }

absl::Status CannotListen(const std::string& address, const char* reason) {
  return absl::UnavailableError(absl::StrCat("cannot listen on ", Shown(address), ": ", reason));
}

absl::Status NoAddress(const std::string& address) {
  return absl::InvalidArgumentError(
      absl::StrCat("expected an address host:port or unix:/path, got \"", Shown(address), "\""));
}

bool IsSocket(const std::string& path) {
  struct stat file = {};
  return lstat(path.c_str(), &file) == 0 && S_ISSOCK(file.st_mode);
}

absl::Status PrepareUnix(const std::string& address) {
  const std::string path = address.substr(kUnix.size());
  sockaddr_un name = {};
  name.sun_family = AF_UNIX;
  if (path.empty()) return NoAddress(address);
  if (path.size() >= sizeof name.sun_path) return CannotListen(address, "the path is longer than 107 bytes");
  std::memcpy(name.sun_path, path.data(), path.size());
  const Socket probe(AF_UNIX, SOCK_STREAM);
  if (connect(probe.fd(), reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0) {
    return CannotListen(address, "a server is listening there");
  }
  // Refused: a socket that nobody listens on any more, or a file of somebody's that is no socket at all.
  if (errno == ECONNREFUSED && IsSocket(path)) unlink(path.c_str());
  const Socket trial(AF_UNIX, SOCK_STREAM);
  if (bind(trial.fd(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0) {
    return CannotListen(address, std::strerror(errno));
  }
  unlink(path.c_str());
  return absl::OkStatus();
}

absl::Status TryToBind(const std::string& address, const addrinfo& candidate) {
  const Socket trial(candidate.ai_family, candidate.ai_socktype);
  const int on = 1;
  setsockopt(trial.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);  // as gRPC does: TIME_WAIT is no obstacle
  if (bind(trial.fd(), candidate.ai_addr, candidate.ai_addrlen) != 0 || listen(trial.fd(), 1) != 0) {
    return CannotListen(address, std::strerror(errno));
  }
  return absl::OkStatus();
}

// getaddrinfo takes 99999 for 34463, its low 16 bits.
bool IsPort(const std::string& text) {
  uint32_t port = 0;
  return absl::SimpleAtoi(text, &port) && port <= 65535;
}

absl::Status PrepareTcp(const std::string& address) {
  const size_t colon = address.rfind(':');
  if (colon == std::string::npos || !IsPort(address.substr(colon + 1))) return NoAddress(address);
  std::string host = address.substr(0, colon);
  if (host.size() > 1 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failure =
      getaddrinfo(host.empty() ? nullptr : host.c_str(), address.substr(colon + 1).c_str(), &hints, &found);
  if (failure == EAI_NONAME || failure == EAI_SERVICE) return NoAddress(address);
  if (failure != 0) return CannotListen(address, gai_strerror(failure));
  absl::Status status = TryToBind(address, *found);
  freeaddrinfo(found);
  return status;
}

bool IsUnix(const std::string& address) { return address.starts_with(kUnix); }

}  // namespace

absl::Status PrepareListenAddress(const std::string& address) {
  return IsUnix(address) ? PrepareUnix(address) : PrepareTcp(address);
}

void RemoveSocketFile(const std::string& address) {
  if (IsUnix(address)) unlink(address.c_str() + kUnix.size());
}

}  // namespace normd
