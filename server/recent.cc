// SPDX-License-Identifier: Apache-2.0
#include "recent.h"

namespace normd {
namespace {

double Seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

// Averages over no time are zeros.
double PerSecond(uint64_t from, uint64_t to, double seconds) {
  return seconds > 0 ? static_cast<double>(to - from) / seconds : 0;
}

}  // namespace

Totals TotalsOf(const Metrics& metrics) {
  Totals totals;
  for (size_t i = 0; i < kMethods; ++i) {
    const auto method = static_cast<Method>(i);
    if (!NameOf(method).normalizes) continue;
    const Tally& requests = RequestsOf(method, metrics[method]);
    const uint64_t good = requests.ended(0);
    totals.requests += good;
    for (size_t code = 1; code < kStatusCodes; ++code) {
      totals.requests += requests.ended(code);
      totals.errors += requests.ended(code);
    }
    totals.rows += metrics[method].rows.value();
  }
  return totals;
}

void Recent::Sample(const Totals& totals, Clock::time_point now) {
  entries_[(begin_ + size_) % entries_.size()] = {totals, now};
  if (size_ < entries_.size()) {
    ++size_;
  } else {
    begin_ = (begin_ + 1) % entries_.size();
  }
}

Recent::Rates Recent::rates() const {
  if (size_ < 2) return {};
  const Entry& first = entry(0);
  const Entry& last = entry(size_ - 1);
  const double seconds = Seconds(last.time - first.time);
  return {PerSecond(first.totals.requests, last.totals.requests, seconds),
          PerSecond(first.totals.rows, last.totals.rows, seconds),
          static_cast<double>(last.totals.errors - first.totals.errors)};
}

std::vector<double> Recent::requests_per_second() const {
  std::vector<double> rates;
  for (size_t i = 1; i < size_; ++i) {
    const double seconds = Seconds(entry(i).time - entry(i - 1).time);
    rates.push_back(PerSecond(entry(i - 1).totals.requests, entry(i).totals.requests, seconds));
  }
  return rates;
}

}  // namespace normd
