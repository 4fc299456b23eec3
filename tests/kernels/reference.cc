// SPDX-License-Identifier: Apache-2.0
#include "reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace normd {
namespace {

constexpr int64_t kLeaf = 16;

template <typename Term>
long double PairwiseSum(int64_t begin, int64_t end, const Term& term) {
  if (end - begin > kLeaf) {
    const int64_t middle = begin + (end - begin) / 2;
    return PairwiseSum(begin, middle, term) + PairwiseSum(middle, end, term);
  }
  long double sum = 0;
  for (int64_t i = begin; i < end; ++i) sum += term(i);
  return sum;
}

long double UlpOf(float y) {
  const float magnitude = std::fabs(y);
  return static_cast<long double>(std::nextafter(magnitude, std::numeric_limits<float>::infinity())) -
         magnitude;
}

// The part of `error` beyond `allowance`, in `unit`s. Written so that NaN comes out as infinity.
double Excess(long double error, long double allowance, long double unit) {
  if (error <= allowance) return 0;
  if (!(unit > 0) || !std::isfinite(error)) return std::numeric_limits<double>::infinity();
  return static_cast<double>((error - allowance) / unit);
}

constexpr long double kSmallestDenormal = 0x1p-149L;
constexpr long double kFloatUlp = 0x1p-23L;

}  // namespace

ExactRow::ExactRow(std::span<const float> x, double epsilon) : x_(x) {
  const auto hidden = static_cast<int64_t>(x.size());
  const auto count = static_cast<long double>(hidden);
  first_mean_ = PairwiseSum(0, hidden, [&](int64_t i) { return static_cast<long double>(x_[i]); }) / count;
  correction_ = PairwiseSum(0, hidden, [&](int64_t i) { return x_[i] - first_mean_; }) / count;
  const long double squares = PairwiseSum(0, hidden, [&](int64_t i) {
    const long double deviation = Deviation(i);
    largest_deviation_ = std::max(largest_deviation_, std::fabs(deviation));
    return deviation * deviation;
  });
  rstd_ = 1 / std::sqrt(squares / count + static_cast<float>(epsilon));
}

long double ExactRow::Y(int64_t i, std::span<const float> gamma, std::span<const float> beta) const {
  const long double gain = gamma.empty() ? 1.0L : gamma[i];
  const long double offset = beta.empty() ? 0.0L : beta[i];
  return gain * Xhat(i) + offset;
}

double ContractRowUlp(const ExactRow& exact, std::span<const float> gamma, std::span<const float> beta,
                      std::span<const float> y) {
  const long double scale = kFloatUlp * exact.LargestXhat();
  double worst = 0;
  for (int64_t i = 0; i < static_cast<int64_t>(y.size()); ++i) {
    const long double error = std::fabs(y[i] - exact.Y(i, gamma, beta));
    const long double unit = gamma.empty() ? scale : scale * std::fabs(static_cast<long double>(gamma[i]));
    worst = std::max(worst, Excess(error, UlpOf(y[i]) + kSmallestDenormal, unit));
  }
  return worst;
}

double StrictRowUlp(const ExactRow& exact, std::span<const float> y) {
  long double worst = 0;
  for (int64_t i = 0; i < static_cast<int64_t>(y.size()); ++i) {
    const long double error = std::fabs(y[i] - exact.Xhat(i));
    if (!(error <= worst)) worst = error;  // NaN sticks: no later error compares with it
  }
  return Excess(worst, kSmallestDenormal, kFloatUlp * exact.LargestXhat());
}

}  // namespace normd
