// SPDX-License-Identifier: Apache-2.0
//
// Percentiles as a load test should state them: exact, of raw samples, and only where there are enough.

#ifndef NORMD_NORMCTL_BENCH_STATISTICS_H_
#define NORMD_NORMCTL_BENCH_STATISTICS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace normd {

// A percentile in millionths, so that its rank is computed in integers: 99.9 % of 1,000 is rank 999, and
// 0.999 * 1000 in floating point may not be.
struct Percentile {
  int64_t millionths = 0;

  std::string Text() const;  // "99.9"
};

// "50,90,99.9".
// Errors: InvalidArgument for what is not a number above 0 and at most 100 with up to four decimals.
absl::StatusOr<std::vector<Percentile>> ParsePercentiles(std::string_view text);

// The fewest samples of which a percentile says something: so many that, with a probability of 99 %, at least
// two of them lie above the true percentile (the early-stopping rule of MLPerf's LoadGen). 64 for p90, 662
// for p99, 6,636 for p99.9.
int64_t SamplesNeeded(Percentile percentile);

// Of one quantity, in nanoseconds.
class Distribution {
 public:
  explicit Distribution(std::vector<uint64_t> samples);  // in any order

  int64_t count() const { return static_cast<int64_t>(sorted_.size()); }
  std::optional<uint64_t> min() const;
  std::optional<uint64_t> max() const;
  std::optional<double> mean() const;

  // The sample at rank ceil(p n), or nothing where there are fewer samples than needed.
  std::optional<uint64_t> At(Percentile percentile) const;

  // The same median whatever the number of samples; nothing where there are none.
  std::optional<uint64_t> Median() const;

  int64_t CountAbove(uint64_t limit) const;

 private:
  uint64_t AtRankOf(Percentile percentile) const;

  std::vector<uint64_t> sorted_;
};

}  // namespace normd

#endif  // NORMD_NORMCTL_BENCH_STATISTICS_H_
