// SPDX-License-Identifier: Apache-2.0
#ifndef NORMD_SERVER_LATENCY_SUMMARY_H_
#define NORMD_SERVER_LATENCY_SUMMARY_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "metrics.h"

namespace normd {

// The latencies of one or several tallies at one moment.
class LatencySummary {
 public:
  void Add(const Latencies& latencies) {
    for (size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += latencies.bucket(i);
    sum_seconds_ += latencies.sum_seconds();
  }
  uint64_t bucket(size_t i) const { return buckets_[i]; }
  uint64_t count() const;
  double mean_seconds() const;  // 0 where there are none
  // The upper bound of the bucket in which the quantile lies; infinite above the last bound, 0 where there
  // are none.
  double QuantileBound(double quantile) const;

 private:
  std::array<uint64_t, Latencies::kBounds + 1> buckets_ = {};
  double sum_seconds_ = 0;
};

}  // namespace normd

#endif  // NORMD_SERVER_LATENCY_SUMMARY_H_
