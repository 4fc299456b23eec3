// SPDX-License-Identifier: Apache-2.0
#include "rescue.h"

#include <bit>
#include <cmath>

#include "half.h"

namespace normd {
namespace {

constexpr float kCanonicalNan = std::bit_cast<float>(Float32::kNan);

template <class Stored>
void StoreCanonical(std::byte* row, int64_t i, float value) {
  std::byte* p = row + i * Stored::kBytes;
  if (std::isnan(value)) return StoreAs(p, Stored::kNan);
  Stored::Store(p, value);
}

// One row of a call.
template <class Stored>
class RescuedRow {
 public:
  RescuedRow(Formula formula, const NormCall& call, int64_t row)
      : formula_(formula),
        call_(call),
        row_(row),
        x_(call.x.Row(row)),
        residual_(call.residual.data == nullptr ? nullptr : call.residual.Row(row)) {}

  void Run() const {
    if (!AllFinite()) return FillWithNan();
    const Statistics statistics = Find();
    for (int64_t i = 0; i < call_.hidden; ++i) {
      const float value = Value(i);
      StoreCanonical<Stored>(call_.y.Row(row_), i, static_cast<float>(Normalized(value, i, statistics)));
      StoreSum(i, value);
    }
    StoreStatistics(static_cast<float>(statistics.mean), static_cast<float>(statistics.rstd));
  }

 private:
  struct Statistics {
    double mean;
    double rstd;
    bool constant;  // no element differs from the mean
  };

  // What is normalized, as the kernels form it.
  float Value(int64_t i) const {
    const float x = Stored::Load(x_ + i * Stored::kBytes);
    if (residual_ == nullptr) return x;
    std::byte rounded[Stored::kBytes];
    StoreCanonical<Stored>(rounded, 0, x + Stored::Load(residual_ + i * Stored::kBytes));
    return Stored::Load(rounded);
  }

  bool GivenIsFinite() const {
    if (formula_ == Formula::kGivenLayer && !std::isfinite(call_.given_mean[row_])) return false;
    return (formula_ != Formula::kGivenLayer && formula_ != Formula::kGivenRms) ||
           std::isfinite(call_.given_rstd[row_]);
  }

  bool AllFinite() const {
    if (!GivenIsFinite()) return false;
    for (int64_t i = 0; i < call_.hidden; ++i) {
      if (!std::isfinite(Value(i))) return false;
    }
    return true;
  }

  Statistics Find() const {
    switch (formula_) {
      case Formula::kLayer:
        return Measure(Mean());
      case Formula::kRms:
        return Measure(0);
      case Formula::kGivenLayer:
        return {call_.given_mean[row_], call_.given_rstd[row_], false};
      case Formula::kGivenRms:
        return {0, call_.given_rstd[row_], false};
      case Formula::kBatch:
        break;
    }
    return {0, 0, false};
  }

  double Mean() const {
    const double first = Value(0);
    double sum = 0;
    for (int64_t i = 0; i < call_.hidden; ++i) sum += Value(i) - first;
    return first + sum / static_cast<double>(call_.hidden);
  }

  Statistics Measure(double mean) const {
    double squares = 0;
    for (int64_t i = 0; i < call_.hidden; ++i) {
      const double deviation = Value(i) - mean;
      squares += deviation * deviation;
    }
    const double variance = squares / static_cast<double>(call_.hidden);
    return {mean, 1.0 / std::sqrt(variance + static_cast<double>(call_.epsilon)), !(variance > 0)};
  }

  double Normalized(double value, int64_t i, const Statistics& statistics) const {
    const double xhat = formula_ == Formula::kBatch ? FeatureXhat(value, i) : Xhat(value, statistics);
    const double scaled = call_.gamma != nullptr ? xhat * static_cast<double>(call_.gamma[i]) : xhat;
    return call_.beta != nullptr ? scaled + static_cast<double>(call_.beta[i]) : scaled;
  }

  // A constant row is beta even where epsilon is 0 and rstd infinite.
  static double Xhat(double value, const Statistics& statistics) {
    return statistics.constant ? 0.0 : (value - statistics.mean) * statistics.rstd;
  }

  // So is a feature at its running mean.
  double FeatureXhat(double value, int64_t i) const {
    const double deviation = value - static_cast<double>(call_.feature_mean[i]);
    const double sum = static_cast<double>(call_.feature_var[i]) + static_cast<double>(call_.epsilon);
    return deviation == 0 ? 0.0 : deviation / std::sqrt(sum);
  }

  void StoreSum(int64_t i, float value) const {
    if (call_.residual_sum.data != nullptr) StoreCanonical<Stored>(call_.residual_sum.Row(row_), i, value);
  }

  void StoreStatistics(float mean, float rstd) const {
    if (call_.mean != nullptr) call_.mean[row_] = mean;
    if (call_.rstd != nullptr) call_.rstd[row_] = rstd;
  }

  void FillWithNan() const {
    for (int64_t i = 0; i < call_.hidden; ++i) {
      const float value = Value(i);
      StoreCanonical<Stored>(call_.y.Row(row_), i, kCanonicalNan);
      StoreSum(i, value);
    }
    StoreStatistics(kCanonicalNan, kCanonicalNan);
  }

  Formula formula_;
  const NormCall& call_;
  int64_t row_;
  const std::byte* x_;
  const std::byte* residual_;
};

template <class Stored>
void CanonicalizeRow(std::byte* y, int64_t hidden) {
  for (int64_t i = 0; i < hidden; ++i) StoreCanonical<Stored>(y, i, Stored::Load(y + i * Stored::kBytes));
}

// Calls `f` with the way values of `type` are stored.
template <class F>
void WithStored(int type, F f) {
  if (type == 0) return f(Float32());
  if (type == 1) return f(Float16());
  f(Bfloat16());
}

}  // namespace

void RescueRow(Formula formula, int type, const NormCall& call, int64_t row) noexcept {
  WithStored(type, [&]<class Stored>(Stored) { RescuedRow<Stored>(formula, call, row).Run(); });
}

void RescueRows(Formula formula, int type, const NormCall& call) noexcept {
  for (int64_t row = 0; row < call.rows; ++row) RescueRow(formula, type, call, row);
}

void CanonicalizeNans(int type, const NormCall& call) noexcept {
  WithStored(type, [&]<class Stored>(Stored) {
    for (int64_t row = 0; row < call.rows; ++row) CanonicalizeRow<Stored>(call.y.Row(row), call.hidden);
  });
}

}  // namespace normd
