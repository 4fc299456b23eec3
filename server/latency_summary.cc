// SPDX-License-Identifier: Apache-2.0
#include "latency_summary.h"

#include <limits>
#include <numeric>

namespace normd {

uint64_t LatencySummary::count() const {
  return std::accumulate(buckets_.begin(), buckets_.end(), uint64_t{0});
}

double LatencySummary::mean_seconds() const {
  const uint64_t n = count();
  return n > 0 ? sum_seconds_ / static_cast<double>(n) : 0;
}

double LatencySummary::QuantileBound(double quantile) const {
  const uint64_t n = count();
  if (n == 0) return 0;
  double below = 0;
  for (size_t i = 0; i < Latencies::kBounds; ++i) {
    below += static_cast<double>(buckets_[i]);
    if (below >= quantile * static_cast<double>(n)) return Latencies::Bound(i);
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace normd
