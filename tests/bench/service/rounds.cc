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

// The first calls of a turn bring caches, predictors and the clock over from the contestant before.
int64_t WarmUp(int64_t calls) { return std::max<int64_t>(1, calls / 20); }

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
  inline static std::mt19937 engine_{1607};  // for all, so that no two sittings have the same order
};

}  // namespace

void Interrupt() { interrupted = true; }

void Latencies::AddRound(std::vector<uint64_t> samples) {
  waiting_.insert(waiting_.end(), samples.begin(), samples.end());
  p50.push_back(static_cast<double>(*Distribution(std::move(samples)).Median()));
  const auto percentile = Distribution(waiting_).At(kP99);
  if (!percentile) return;
  p99.push_back(static_cast<double>(*percentile));
  waiting_.clear();
}

std::vector<LatencyCell> LatencyCells(const Flags& flags, size_t contestants) {
  std::vector<LatencyCell> cells;
  for (const Transport transport : flags.transports) {
    for (const Shape& shape : flags.shapes)
      cells.push_back({transport, shape, CallsOfTurn(flags, shape), std::vector<Latencies>(contestants)});
  }
  return cells;
}

std::vector<RateCell> RateCells(const Flags& flags, size_t contestants) {
  std::vector<RateCell> cells;
  for (const Transport transport : flags.transports) {
    for (const int64_t in_flight : flags.in_flight) {
      cells.push_back({transport, kShapeOfRates, in_flight, 4 * CallsOfTurn(flags, kShapeOfRates),
                       std::vector<std::vector<double>>(contestants)});
    }
  }
  return cells;
}

void MeasureLatencies(const Clients& clients, int rounds, LatencyCell* cell) {
  for (const auto& client : clients) client->Open(cell->shape);
  Order order(clients.size());
  for (int round = 0; round < rounds; ++round) {
    for (const size_t i : order.Next()) {
      clients[i]->Latencies(WarmUp(cell->calls));
      cell->fields[i].AddRound(clients[i]->Latencies(cell->calls));
    }
  }
}

void MeasureRates(const Clients& clients, const std::vector<Contestant>& contestants, int rounds,
                  RateCell* cell) {
  for (const auto& client : clients) client->Open(cell->shape);
  Order order(clients.size());
  for (int round = 0; round < rounds; ++round) {
    for (const size_t i : order.Next()) {
      if (!contestants[i].in_flight) continue;
      clients[i]->TimeInFlight(cell->in_flight, WarmUp(cell->calls));
      const auto nanoseconds = static_cast<double>(clients[i]->TimeInFlight(cell->in_flight, cell->calls));
      cell->fields[i].push_back(static_cast<double>(cell->calls) * 1e9 / nanoseconds);
    }
  }
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
