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

// Of float32, in which every type's answers are computed.
long double UlpOf(long double y) {
  const auto magnitude = static_cast<float>(std::fabs(y));
  if (!(magnitude < std::numeric_limits<float>::max())) return 0x1p104L;
  return static_cast<long double>(std::nextafter(magnitude, std::numeric_limits<float>::infinity())) -
         magnitude;
}

// How far `exact` is from what y stands for. A float32 stands for itself, unless it is infinite.
long double DistanceTo(DataType data_type, float y, long double exact) {
  if (std::isnan(y)) return y;
  if (data_type == DataType::kFloat32 && std::isfinite(y)) return std::fabs(y - exact);
  const Interval interval = RoundsTo(data_type, y);
  return std::max({0.0L, interval.low - exact, exact - interval.high});
}

// The part of `error` beyond `allowance`, in `unit`s. Written so that NaN comes out as infinity.
double Excess(long double error, long double allowance, long double unit) {
  if (error <= allowance) return 0;
  if (!(unit > 0) || !std::isfinite(error)) return std::numeric_limits<double>::infinity();
  return static_cast<double>((error - allowance) / unit);
}

constexpr long double kSmallestDenormal = 0x1p-149L;
constexpr long double kFloatUlp = 0x1p-23L;

long double Sum(int64_t count, const auto& term) { return PairwiseSum(0, count, term); }

// x, or x + residual rounded once. long double holds more than twice the bits of every type, so that its own
// rounding of a sum is not seen.
std::vector<long double> ValuesOfRow(const Trial& row) {
  std::vector<long double> values(row.x.begin(), row.x.end());
  if (row.residual.empty()) return values;
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = RoundTo(row.data_type, values[i] + row.residual[i]);
  }
  return values;
}

bool AllFinite(std::span<const long double> values) {
  return std::ranges::all_of(values, [](long double value) { return std::isfinite(value); });
}

}  // namespace

ExactRow::ExactRow(const Trial& row) : row_(row), values_(ValuesOfRow(row)) {
  if (row_.parameters.kind == NormKind::kLayerNorm) FindMean();
  if (row_.parameters.kind != NormKind::kBatchNorm) FindRstd();
  for (int64_t i = 0; i < hidden(); ++i) {
    xhat_.push_back(FindXhat(i));
    const long double xhat = std::fabs(xhat_.back());
    if (!(xhat <= largest_xhat_)) largest_xhat_ = xhat;  // NaN sticks: no later one compares with it
  }
}

ExactRow::ExactRow(std::span<const float> x, double epsilon)
    : ExactRow(Trial{.parameters = {.epsilon = epsilon},
                     .hidden = static_cast<int64_t>(x.size()),
                     .x = {x.begin(), x.end()}}) {}

void ExactRow::FindMean() {
  if (!row_.given_mean.empty()) {
    first_mean_ = row_.given_mean[0];
    return;
  }
  const auto count = static_cast<long double>(hidden());
  first_mean_ = Sum(hidden(), [&](int64_t i) { return Value(i); }) / count;
  correction_ = Sum(hidden(), [&](int64_t i) { return Value(i) - first_mean_; }) / count;
}

void ExactRow::FindRstd() {
  if (!row_.given_rstd.empty()) {
    rstd_ = row_.given_rstd[0];
    return;
  }
  const long double squares = Sum(hidden(), [&](int64_t i) { return Deviation(i) * Deviation(i); });
  rstd_ = 1 / std::sqrt(squares / static_cast<long double>(hidden()) +
                        static_cast<float>(row_.parameters.epsilon));
}

bool ExactRow::finite() const {
  return AllFinite(values_) && std::isfinite(mean()) && std::isfinite(largest_xhat_);
}

// A value at its mean is 0 there, whatever it is divided by.
long double ExactRow::FindXhat(int64_t i) const {
  const OwnedParameters& parameters = row_.parameters;
  const bool batch = parameters.kind == NormKind::kBatchNorm;
  const long double deviation = batch ? Value(i) - parameters.running_mean[i] : Deviation(i);
  if (deviation == 0) return 0;
  if (!batch) return deviation * rstd_;
  return deviation / std::sqrt(static_cast<long double>(parameters.running_var[i]) +
                               static_cast<float>(parameters.epsilon));
}

long double ExactRow::Gain(int64_t i) const {
  const float gamma = row_.parameters.gamma.empty() ? 1.0F : row_.parameters.gamma[i];
  return row_.parameters.gamma_offset + gamma;
}

long double ExactRow::Y(int64_t i) const {
  const long double beta = row_.parameters.beta.empty() ? 0.0L : row_.parameters.beta[i];
  return Gain(i) * Xhat(i) + beta;
}

double ContractRowUlp(const ExactRow& exact, std::span<const float> y) {
  const long double scale = kFloatUlp * exact.LargestXhat();
  double worst = 0;
  for (int64_t i = 0; i < exact.hidden(); ++i) {
    const long double error = DistanceTo(exact.data_type(), y[i], exact.Y(i));
    const long double gain = std::fabs(exact.Gain(i));
    // xhat is rounded to a float before gamma, also where it is denormal.
    const long double denormal = kSmallestDenormal * std::max(1.0L, gain);
    const long double allowance = UlpOf(std::isfinite(y[i]) ? y[i] : exact.Y(i)) + denormal;
    worst = std::max(worst, Excess(error, allowance, scale * gain));
  }
  return worst;
}

double StrictRowUlp(const ExactRow& exact, std::span<const float> y) {
  long double worst = 0;
  for (int64_t i = 0; i < exact.hidden(); ++i) {
    const long double error = DistanceTo(exact.data_type(), y[i], exact.Xhat(i));
    if (!(error <= worst)) worst = error;  // NaN sticks
  }
  return Excess(worst, kSmallestDenormal, kFloatUlp * exact.LargestXhat());
}

}  // namespace normd
