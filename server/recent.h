// SPDX-License-Identifier: Apache-2.0
#ifndef NORMD_SERVER_RECENT_H_
#define NORMD_SERVER_RECENT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "call.h"
#include "metrics.h"

namespace normd {

// Requests of the methods that normalize, since the start.
struct Totals {
  uint64_t requests = 0;
  uint64_t errors = 0;
  uint64_t rows = 0;
};
Totals TotalsOf(const Metrics& metrics);

// What happened in the last minute: totals, taken once a second. For one thread at a time.
class Recent {
 public:
  static constexpr size_t kSeconds = 60;

  void Sample(const Totals& totals, Clock::time_point now);

  // What is known of the last minute; zeros before the second sample.
  struct Rates {
    double requests = 0;  // a second
    double rows = 0;      // a second
    double errors = 0;    // in all
  };
  Rates rates() const;

  // Requests a second between one sample and the next, oldest first; at most kSeconds of them.
  std::vector<double> requests_per_second() const;

 private:
  struct Entry {
    Totals totals;
    Clock::time_point time;
  };
  const Entry& entry(size_t i) const { return entries_[(begin_ + i) % entries_.size()]; }  // oldest first

  std::array<Entry, kSeconds + 1> entries_;
  size_t begin_ = 0;
  size_t size_ = 0;
};

}  // namespace normd

#endif  // NORMD_SERVER_RECENT_H_
