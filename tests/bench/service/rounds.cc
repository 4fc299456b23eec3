// SPDX-License-Identifier: Apache-2.0
#include "rounds.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>

#include "bench/statistics.h"

namespace normd::bench {
namespace {

constexpr Percentile kP99{990'000};
std::atomic<bool> interrupted = false;

constexpr Shape kShapeOfRates{1, 768};

// Collects a contestant's rounds.
class Collector {
 public:
  void Add(std::vector<uint64_t> latencies) {
    block_.insert(block_.end(), latencies.begin(), latencies.end());
    result_.p50.push_back(static_cast<double>(*Distribution(std::move(latencies)).Median()));
    const auto p99 = Distribution(block_).At(kP99);
    if (!p99) return;
    result_.p99.push_back(static_cast<double>(*p99));
    block_.clear();
  }

  const Latencies& result() const { return result_; }

 private:
  std::vector<uint64_t> block_;
  Latencies result_;
};

// Not in turn: whoever always came after the same contestant would inherit its caches and its clock.
class Order {
 public:
  explicit Order(size_t contestants) : order_(contestants) { std::iota(order_.begin(), order_.end(), 0); }
  const std::vector<size_t>& Next() {
    if (interrupted) throw std::runtime_error("interrupted");
    std::shuffle(order_.begin(), order_.end(), engine_);
    return order_;
  }

 private:
  std::vector<size_t> order_;
  std::mt19937 engine_{1607};
};

}  // namespace

void Interrupt() { interrupted = true; }

LatencyCell MeasureLatencies(const Clients& clients, const Flags& flags, Transport transport,
                             const Shape& shape) {
  LatencyCell cell{transport, shape, CallsOfTurn(flags, shape), {}};
  // The first calls of a turn bring caches, predictors and the clock over from the contestant before.
  const int64_t warm_up = std::max<int64_t>(1, cell.calls / 20);
  for (const auto& client : clients) client->Open(shape);
  std::vector<Collector> collectors(clients.size());
  Order order(clients.size());
  for (int round = 0; round < flags.rounds; ++round) {
    for (const size_t i : order.Next()) {
      clients[i]->Latencies(warm_up);
      collectors[i].Add(clients[i]->Latencies(cell.calls));
    }
  }
  for (const Collector& collector : collectors) cell.fields.push_back(collector.result());
  return cell;
}

RateCell MeasureRates(const Clients& clients, const std::vector<Contestant>& contestants, const Flags& flags,
                      Transport transport, int64_t in_flight) {
  const int64_t calls = 4 * CallsOfTurn(flags, kShapeOfRates);
  RateCell cell{transport, kShapeOfRates, in_flight, calls, std::vector<std::vector<double>>(clients.size())};
  for (const auto& client : clients) client->Open(cell.shape);
  Order order(clients.size());
  for (int round = 0; round < flags.rounds; ++round) {
    for (const size_t i : order.Next()) {
      if (!contestants[i].in_flight) continue;
      clients[i]->TimeInFlight(in_flight, std::max<int64_t>(1, calls / 20));
      const auto nanoseconds = static_cast<double>(clients[i]->TimeInFlight(in_flight, calls));
      cell.fields[i].push_back(static_cast<double>(calls) * 1e9 / nanoseconds);
    }
  }
  return cell;
}

double Median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double MedianRatio(const std::vector<double>& values, const std::vector<double>& base) {
  std::vector<double> ratios;
  for (size_t i = 0; i < std::min(values.size(), base.size()); ++i) ratios.push_back(values[i] / base[i]);
  return Median(std::move(ratios));
}

}  // namespace normd::bench
