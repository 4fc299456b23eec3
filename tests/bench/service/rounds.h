// SPDX-License-Identifier: Apache-2.0
//
// Interleaved: in each round every contestant has a turn of so many calls, in an order that changes, so that
// whatever drifts drifts for all. What is compared is a ratio within a round. A sitting is some rounds with
// servers that were started for it, because a connection can settle into a way of its own: over one the plain
// server answered one row in 85 us and over another in 52 us, in one run and throughout.

#ifndef NORMD_TESTS_BENCH_SERVICE_ROUNDS_H_
#define NORMD_TESTS_BENCH_SERVICE_ROUNDS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "client.h"
#include "contestants.h"
#include "flags.h"

namespace normd::bench {

// Of one contestant in one shape. Nanoseconds.
struct Latencies {
  std::vector<double> p50;  // one a round
  std::vector<double> p99;  // one for as many rounds in a row as have samples enough; none where all have not

  void AddRound(std::vector<uint64_t> samples);

 private:
  std::vector<uint64_t> waiting_;  // samples that are too few for a p99
};

struct LatencyCell {
  Transport transport;
  Shape shape;
  int64_t calls = 0;              // of a turn
  std::vector<Latencies> fields;  // one a contestant
};

// Calls a second with so many in flight.
struct RateCell {
  Transport transport;
  Shape shape;
  int64_t in_flight = 0;
  int64_t calls = 0;                        // of a turn
  std::vector<std::vector<double>> fields;  // one a contestant: one a round, or none
};

// All that are wanted, still empty.
std::vector<LatencyCell> LatencyCells(const Flags& flags, size_t contestants);
std::vector<RateCell> RateCells(const Flags& flags, size_t contestants);

using Clients = std::vector<std::unique_ptr<Client>>;

// Adds so many rounds.
void MeasureLatencies(const Clients& clients, int rounds, LatencyCell* cell);
void MeasureRates(const Clients& clients, const std::vector<Contestant>& contestants, int rounds,
                  RateCell* cell);

// From a signal handler: the measurement ends by an exception, so that servers are stopped and files removed.
void Interrupt();

// NaN of none.
double Median(std::vector<double> values);

// The median of the quotients of those with the same index.
double MedianRatio(const std::vector<double>& values, const std::vector<double>& base);

}  // namespace normd::bench

#endif  // NORMD_TESTS_BENCH_SERVICE_ROUNDS_H_
