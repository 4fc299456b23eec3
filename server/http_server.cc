// SPDX-License-Identifier: Apache-2.0
#include "http_server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "listen_address.h"

namespace normd {
namespace {

class HttpServerImpl : public HttpServer {
 public:
  HttpServerImpl(TcpListener listener, HttpHandler handler, std::function<void()> each_second,
                 const HttpLimits& limits)
      : limits_(limits),
        listener_(std::move(listener)),
        handler_(std::move(handler)),
        each_second_(std::move(each_second)),
        wake_(eventfd(0, EFD_CLOEXEC)),
        thread_([this] { Run(); }) {}
  ~HttpServerImpl() override;

  const std::string& address() const override { return listener_.address; }

 private:
  void Run();
  bool Wait();
  void Tick();
  void Accept();
  void Serve();

  HttpLimits limits_;
  TcpListener listener_;
  HttpHandler handler_;
  std::function<void()> each_second_;
  std::vector<std::unique_ptr<HttpConnection>> connections_;  // oldest first
  std::vector<pollfd> polled_;  // the wake-up, the listener, then one for each connection
  Clock::time_point next_tick_ = Clock::now();
  bool accepts_ = true;
  int wake_;
  std::thread thread_;  // last: it uses all of the above
};

HttpServerImpl::~HttpServerImpl() {
  eventfd_write(wake_, 1);
  thread_.join();
  close(wake_);
  close(listener_.fd);
}

void HttpServerImpl::Run() {
  while (Wait()) {
    Serve();
    if ((polled_[1].revents & POLLIN) != 0) Accept();
    Tick();
  }
  connections_.clear();
}

// Until there is something to do. False when the server is to stop.
bool HttpServerImpl::Wait() {
  polled_ = {{wake_, POLLIN, 0}, {listener_.fd, static_cast<int16_t>(accepts_ ? POLLIN : 0), 0}};
  for (const auto& connection : connections_) {
    polled_.push_back({connection->fd(), static_cast<int16_t>(connection->writes() ? POLLOUT : POLLIN), 0});
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_tick_ - Clock::now());
  poll(polled_.data(), polled_.size(), static_cast<int>(std::max<int64_t>(0, left.count())));
  return polled_[0].revents == 0;
}

void HttpServerImpl::Serve() {
  for (size_t i = 0; i < connections_.size(); ++i) {
    if (polled_[i + 2].revents != 0 && !connections_[i]->Advance(handler_)) connections_[i].reset();
  }
  std::erase(connections_, nullptr);
}

// Where the places are all taken, whoever has been slowest has to go: a client that does nothing keeps no
// probe out.
void HttpServerImpl::Accept() {
  const int fd = accept4(listener_.fd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  accepts_ = fd >= 0;  // out of descriptors: no more until the next tick, rather than to try without a pause
  if (fd < 0) return;
  if (connections_.size() == limits_.connections) connections_.erase(connections_.begin());
  connections_.push_back(std::make_unique<HttpConnection>(fd, Clock::now() + limits_.patience));
}

void HttpServerImpl::Tick() {
  const Clock::time_point now = Clock::now();
  if (now < next_tick_) return;
  next_tick_ = now + std::chrono::seconds(1);
  accepts_ = true;
  std::erase_if(connections_, [&](const auto& connection) { return connection->deadline() <= now; });
  each_second_();
}

}  // namespace

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const std::string& address, HttpHandler handler,
                                                              std::function<void()> each_second,
                                                              const HttpLimits& limits) {
  auto listener = ListenOnTcp(address);
  if (!listener.ok()) return listener.status();
  return std::make_unique<HttpServerImpl>(*std::move(listener), std::move(handler), std::move(each_second),
                                          limits);
}

}  // namespace normd
