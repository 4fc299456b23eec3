// SPDX-License-Identifier: Apache-2.0
#ifndef NORMD_SERVER_HTTP_CONNECTION_H_
#define NORMD_SERVER_HTTP_CONNECTION_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "call.h"
#include "http_message.h"

namespace normd {

// What a path answers.
using HttpHandler = std::function<HttpResponse(std::string_view path)>;

// One connection and the one request on it. Its socket never blocks.
class HttpConnection {
 public:
  // Takes the socket `fd`. What is not over at `deadline` is to be dropped.
  HttpConnection(int fd, Clock::time_point deadline) : fd_(fd), deadline_(deadline) {}
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  int fd() const { return fd_; }
  Clock::time_point deadline() const { return deadline_; }
  bool writes() const { return state_ == State::kWriting; }  // waits to write, else to read

  // Does what can be done without waiting. False when the connection is over.
  bool Advance(const HttpHandler& handler);

 private:
  enum class State { kReading, kWriting, kDiscarding };

  bool Read(const HttpHandler& handler);
  bool Write();
  bool Discard();
  std::string Answer(const HttpHandler& handler) const;

  int fd_;
  Clock::time_point deadline_;
  State state_ = State::kReading;
  std::string in_;
  std::string out_;
  size_t written_ = 0;
  size_t discarded_ = 0;
};

}  // namespace normd

#endif  // NORMD_SERVER_HTTP_CONNECTION_H_
