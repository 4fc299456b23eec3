// SPDX-License-Identifier: Apache-2.0
#include "bench/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace normd {
namespace {

constexpr int64_t kAll = 1'000'000;
constexpr Percentile kMedian{kAll / 2};

absl::StatusOr<Percentile> ParsePercentile(absl::string_view text) {
  double value = 0;
  const bool is_number = absl::SimpleAtod(text, &value);
  const double millionths = value * 1e4;
  // Written so that NaN fails.
  if (is_number && value > 0 && value <= 100 && std::fabs(millionths - std::round(millionths)) < 1e-6) {
    return Percentile{std::llround(millionths)};
  }
  return absl::InvalidArgumentError(
      absl::StrCat("percentile \"", absl::CHexEscape(text.substr(0, 40)),
                   "\" is not a number above 0 and at most 100 with up to four decimals"));
}

// The chance that at most one of n samples lies above percentile p.
double ChanceOfTooFew(double p, double n) { return std::pow(p, n) + n * (1 - p) * std::pow(p, n - 1); }

}  // namespace

std::string Percentile::Text() const { return absl::StrCat(static_cast<double>(millionths) / 1e4); }

absl::StatusOr<std::vector<Percentile>> ParsePercentiles(std::string_view text) {
  std::vector<Percentile> percentiles;
  for (const absl::string_view part : absl::StrSplit(absl::string_view(text.data(), text.size()), ',')) {
    const auto percentile = ParsePercentile(part);
    if (!percentile.ok()) return percentile.status();
    percentiles.push_back(*percentile);
  }
  return percentiles;
}

int64_t SamplesNeeded(Percentile percentile) {
  // The maximum is what it is of any number of samples.
  if (percentile.millionths >= kAll) return 1;
  const double p = static_cast<double>(percentile.millionths) / kAll;
  int64_t too_few = 0;
  int64_t enough = int64_t{1} << 40;
  while (enough - too_few > 1) {
    const int64_t middle = std::midpoint(too_few, enough);
    (ChanceOfTooFew(p, static_cast<double>(middle)) > 0.01 ? too_few : enough) = middle;
  }
  return enough;
}

Distribution::Distribution(std::vector<uint64_t> samples) : sorted_(std::move(samples)) {
  std::sort(sorted_.begin(), sorted_.end());
}

std::optional<uint64_t> Distribution::min() const {
  return sorted_.empty() ? std::nullopt : std::optional(sorted_.front());
}

std::optional<uint64_t> Distribution::max() const {
  return sorted_.empty() ? std::nullopt : std::optional(sorted_.back());
}

std::optional<double> Distribution::mean() const {
  if (sorted_.empty()) return std::nullopt;
  return std::accumulate(sorted_.begin(), sorted_.end(), 0.0) / static_cast<double>(sorted_.size());
}

uint64_t Distribution::AtRankOf(Percentile percentile) const {
  const int64_t rank = (count() * percentile.millionths + kAll - 1) / kAll;
  return sorted_[static_cast<size_t>(rank - 1)];
}

std::optional<uint64_t> Distribution::At(Percentile percentile) const {
  if (count() < SamplesNeeded(percentile)) return std::nullopt;
  return AtRankOf(percentile);
}

std::optional<uint64_t> Distribution::Median() const {
  if (sorted_.empty()) return std::nullopt;
  return AtRankOf(kMedian);
}

int64_t Distribution::CountAbove(uint64_t limit) const {
  return sorted_.end() - std::upper_bound(sorted_.begin(), sorted_.end(), limit);
}

}  // namespace normd
