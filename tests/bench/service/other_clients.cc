// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "client.h"
#include "plain_order.h"
#include "request.h"
#include "socket.h"

namespace normd::bench {
namespace {

using Clock = std::chrono::steady_clock;

class RawClient : public Client {
 public:
  explicit RawClient(const std::string& address) : socket_(TryConnect(address)) {
    if (!socket_.valid()) throw std::runtime_error("no connection to " + address);
  }

  void Open(const Shape& shape) override {
    const std::string bytes = MakeRequest(shape).SerializeAsString();
    const uint64_t size = bytes.size();
    message_.assign(reinterpret_cast<const char*>(&size), sizeof(size));
    message_ += bytes;
    answer_.assign(message_.size(), 0);
    Call();
    if (answer_ != message_) throw std::runtime_error("a wrong answer from the raw socket");
  }

  std::vector<uint64_t> Latencies(int64_t calls) override {
    std::vector<uint64_t> latencies;
    for (int64_t i = 0; i < calls; ++i) {
      const Clock::time_point start = Clock::now();
      Call();
      latencies.push_back(static_cast<uint64_t>(std::chrono::nanoseconds(Clock::now() - start).count()));
    }
    return latencies;
  }

  uint64_t TimeInFlight(int64_t /*in_flight*/, int64_t /*calls*/) override {
    throw std::logic_error("the raw socket has one message in flight");
  }

 private:
  void Call() {
    WriteAll(socket_.fd(), message_.data(), message_.size());
    if (!ReadAll(socket_.fd(), answer_.data(), answer_.size())) throw std::runtime_error("no answer");
  }

  Socket socket_;
  std::string message_;
  std::string answer_;
};

class PlainClient : public Client {
 public:
  explicit PlainClient(Spawn spawn) : child_(std::move(spawn)) {}

  void Open(const Shape& shape) override {
    shape_ = shape;
    Order(1, 0, 1);
  }

  std::vector<uint64_t> Latencies(int64_t calls) override {
    return Order(calls, 0, static_cast<size_t>(calls));
  }

  uint64_t TimeInFlight(int64_t in_flight, int64_t calls) override { return Order(calls, in_flight, 1)[0]; }

 private:
  std::vector<uint64_t> Order(int64_t calls, int64_t in_flight, size_t answers) {
    const PlainOrder order{.shape = shape_, .calls = calls, .in_flight = in_flight};
    WriteAll(child_.input(), &order, sizeof(order));
    std::vector<uint64_t> answer(answers);
    if (!ReadAll(child_.output(), answer.data(), answers * sizeof(answer[0])))
      throw std::runtime_error("the plain client ended: " + child_.Said());
    return answer;
  }

  Child child_;
  Shape shape_;
};

}  // namespace

std::unique_ptr<Client> MakeRawClient(const std::string& address) {
  return std::make_unique<RawClient>(address);
}

std::unique_ptr<Client> MakePlainClient(Spawn spawn) {
  return std::make_unique<PlainClient>(std::move(spawn));
}

}  // namespace normd::bench
