// SPDX-License-Identifier: Apache-2.0
//
// One connection of the benchmark to one server, and the three clients that there are. Each call sends the
// same bytes and must get as many values back. Errors are thrown as std::runtime_error.

#ifndef NORMD_TESTS_BENCH_SERVICE_CLIENT_H_
#define NORMD_TESTS_BENCH_SERVICE_CLIENT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "child.h"
#include "shape.h"

namespace normd::bench {

class Client {
 public:
  virtual ~Client() = default;

  // What the calls from now on send. Makes the first one, and checks its answer.
  virtual void Open(const Shape& shape) = 0;

  // One call after the other; the nanoseconds of each, from the call until the answer was in memory.
  virtual std::vector<uint64_t> Latencies(int64_t calls) = 0;

  // Nanoseconds of `calls` calls of which so many are in flight at a time.
  virtual uint64_t TimeInFlight(int64_t in_flight, int64_t calls) = 0;
};

// What an answer must be.
enum class Answer {
  kNormalized,  // a NormalizeResponse whose rows have a mean of 0 and a variance of 1
  kResponse,    // a NormalizeResponse with the request's data
  kEcho,        // the request's bytes
};

// Asynchronous, one queue polled by the calling thread, raw bytes, no retries: as tuned as normd's own.
std::unique_ptr<Client> MakeLeanClient(const std::string& address, Answer answer);

// The same bytes over a bare socket. One in flight.
std::unique_ptr<Client> MakeRawClient(const std::string& address);

// bench_plain, whose path begins the spawn's command; a process that waits while it has no order.
std::unique_ptr<Client> MakePlainClient(Spawn spawn);

}  // namespace normd::bench

#endif  // NORMD_TESTS_BENCH_SERVICE_CLIENT_H_
