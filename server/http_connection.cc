// SPDX-License-Identifier: Apache-2.0
#include "http_connection.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace normd {
namespace {

constexpr size_t kMaxDiscarded = 1 << 20;

bool WouldBlock() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

HttpConnection::~HttpConnection() { close(fd_); }

bool HttpConnection::Advance(const HttpHandler& handler) {
  switch (state_) {
    case State::kReading:
      return Read(handler);
    case State::kWriting:
      return Write();
    case State::kDiscarding:
      return Discard();
  }
  return false;
}

bool HttpConnection::Read(const HttpHandler& handler) {
  char bytes[kMaxHttpHead];
  const ssize_t count = recv(fd_, bytes, kMaxHttpHead - in_.size(), 0);
  if (count <= 0) return count < 0 && WouldBlock();
  in_.append(bytes, static_cast<size_t>(count));
  if (in_.size() < kMaxHttpHead && !HasWholeHead(in_)) return true;
  out_ = Answer(handler);
  state_ = State::kWriting;
  return Write();
}

std::string HttpConnection::Answer(const HttpHandler& handler) const {
  if (!HasWholeHead(in_)) {
    return FormatHttpResponse({.status = 431, .body = "expected a head of less than 8192 bytes\n"}, true);
  }
  const auto request = ParseHttpRequest(in_);
  if (!request.has_value()) {
    return FormatHttpResponse({.status = 400, .body = "expected a request line of HTTP/1.1\n"}, true);
  }
  if (request->method != "GET" && request->method != "HEAD") {
    return FormatHttpResponse({.status = 405, .body = "expected GET or HEAD\n"}, true);
  }
  return FormatHttpResponse(handler(request->path), request->method == "GET");
}

bool HttpConnection::Write() {
  const ssize_t count = send(fd_, out_.data() + written_, out_.size() - written_, MSG_NOSIGNAL);
  if (count < 0) return WouldBlock();
  written_ += static_cast<size_t>(count);
  if (written_ < out_.size()) return true;
  shutdown(fd_, SHUT_WR);
  state_ = State::kDiscarding;
  return Discard();
}

// Until the client closes. Bytes that lay unread at our close would reset the connection, and the client
// could lose the answer.
bool HttpConnection::Discard() {
  char bytes[kMaxHttpHead];
  const ssize_t count = recv(fd_, bytes, sizeof bytes, 0);
  if (count <= 0) return count < 0 && WouldBlock();
  discarded_ += static_cast<size_t>(count);
  return discarded_ < kMaxDiscarded;
}

}  // namespace normd
