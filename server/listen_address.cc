// SPDX-License-Identifier: Apache-2.0
#include "listen_address.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

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
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

std::string Shown(const std::string& address) { return absl::CHexEscape(address.substr(0, 256)); }

absl::Status CannotListen(const std::string& address, const char* reason) {
  return absl::UnavailableError(absl::StrCat("cannot listen on ", Shown(address), ": ", reason));
}

absl::Status NoAddress(const std::string& address, const char* expected = "host:port or unix:/path") {
  return absl::InvalidArgumentError(
      absl::StrCat("expected an address ", expected, ", got \"", Shown(address), "\""));
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

absl::Status Bind(const Socket& socket, const std::string& address, const addrinfo& name) {
  const int on = 1;
  setsockopt(socket.fd(), SOL_SOCKET, SO_REUSEADDR, &on,
             sizeof on);  // as gRPC does: TIME_WAIT is no obstacle
  if (bind(socket.fd(), name.ai_addr, name.ai_addrlen) != 0 || listen(socket.fd(), SOMAXCONN) != 0) {
    return CannotListen(address, std::strerror(errno));
  }
  return absl::OkStatus();
}

// getaddrinfo takes 99999 for 34463, its low 16 bits.
bool IsPort(const std::string& text) {
  uint32_t port = 0;
  return absl::SimpleAtoi(text, &port) && port <= 65535;
}

using AddressInfo = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

absl::StatusOr<AddressInfo> Resolve(const std::string& address) {
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
  return AddressInfo(found, &freeaddrinfo);
}

absl::Status PrepareTcp(const std::string& address) {
  const auto name = Resolve(address);
  if (!name.ok()) return name.status();
  return Bind(Socket((*name)->ai_family, (*name)->ai_socktype), address, **name);
}

int PortOf(const Socket& socket) {
  sockaddr_storage name = {};
  socklen_t size = sizeof name;
  getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&name), &size);
  const bool is_v6 = name.ss_family == AF_INET6;
  return ntohs(is_v6 ? reinterpret_cast<sockaddr_in6&>(name).sin6_port
                     : reinterpret_cast<sockaddr_in&>(name).sin_port);
}

}  // namespace

bool IsUnix(const std::string& address) { return address.starts_with(kUnix); }

absl::Status PrepareListenAddress(const std::string& address) {
  return IsUnix(address) ? PrepareUnix(address) : PrepareTcp(address);
}

absl::StatusOr<TcpListener> ListenOnTcp(const std::string& address) {
  const auto name = Resolve(address);
  if (absl::IsInvalidArgument(name.status())) return NoAddress(address, "host:port");
  if (!name.ok()) return name.status();
  Socket socket((*name)->ai_family, (*name)->ai_socktype | SOCK_NONBLOCK);
  if (auto status = Bind(socket, address, **name); !status.ok()) return status;
  const int port = PortOf(socket);
  return TcpListener{socket.Release(), absl::StrCat(address.substr(0, address.rfind(':')), ":", port)};
}

void RemoveSocketFile(const std::string& address) {
  if (IsUnix(address)) unlink(address.c_str() + kUnix.size());
}

bool IsLocal(const std::string& address) {
  for (const char* prefix : {"unix:", "127.", "localhost:", "[::1]:"}) {
    if (address.starts_with(prefix)) return true;
  }
  return false;
}

}  // namespace normd
