// SPDX-License-Identifier: Apache-2.0
#include "rescue.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace normd {
namespace {

constexpr float kCanonicalNan = std::bit_cast<float>(uint32_t{0x7FC00000});

float LoadElement(const std::byte* row, int64_t i) {
  float value;
  std::memcpy(&value, row + i * int64_t{sizeof(float)}, sizeof value);
  return value;
}

void StoreElement(std::byte* row, int64_t i, float value) {
  std::memcpy(row + i * int64_t{sizeof(float)}, &value, sizeof value);
}

struct ExactStatistics {
  double mean;
  double variance;
};

ExactStatistics MeasureInDouble(const std::byte* x, int64_t hidden) {
  const double first = LoadElement(x, 0);
  const double n = static_cast<double>(hidden);
  double sum = 0;
  for (int64_t i = 0; i < hidden; ++i) sum += LoadElement(x, i) - first;
  const double mean = first + sum / n;
  double squares = 0;
  for (int64_t i = 0; i < hidden; ++i) {
    const double deviation = LoadElement(x, i) - mean;
    squares += deviation * deviation;
  }
  return {mean, squares / n};
}

bool AllFinite(const std::byte* x, int64_t hidden) {
  for (int64_t i = 0; i < hidden; ++i) {
    if (!std::isfinite(LoadElement(x, i))) return false;
  }
  return true;
}

void StoreStatistics(const LayerNormCall& call, int64_t row, float mean, float rstd) {
  if (call.mean != nullptr) call.mean[row] = mean;
  if (call.rstd != nullptr) call.rstd[row] = rstd;
}

void FillWithNan(const LayerNormCall& call, int64_t row) {
  std::byte* y = call.y + row * call.y_stride;
  for (int64_t i = 0; i < call.hidden; ++i) StoreElement(y, i, kCanonicalNan);
  StoreStatistics(call, row, kCanonicalNan, kCanonicalNan);
}

}  // namespace

void RescueLayerNormRow(const LayerNormCall& call, int64_t row) noexcept {
  const std::byte* x = call.x + row * call.x_stride;
  if (!AllFinite(x, call.hidden)) return FillWithNan(call, row);
  const ExactStatistics exact = MeasureInDouble(x, call.hidden);
  const double rstd = 1.0 / std::sqrt(exact.variance + static_cast<double>(call.epsilon));
  std::byte* y = call.y + row * call.y_stride;
  for (int64_t i = 0; i < call.hidden; ++i) {
    // A constant row is beta even where epsilon is 0 and rstd infinite.
    const double xhat = exact.variance > 0 ? (LoadElement(x, i) - exact.mean) * rstd : 0.0;
    const double scaled = call.gamma != nullptr ? xhat * call.gamma[i] : xhat;
    StoreElement(y, i, static_cast<float>(call.beta != nullptr ? scaled + call.beta[i] : scaled));
  }
  StoreStatistics(call, row, static_cast<float>(exact.mean), static_cast<float>(rstd));
}

void CanonicalizeNans(const LayerNormCall& call) noexcept {
  for (int64_t row = 0; row < call.rows; ++row) {
    std::byte* y = call.y + row * call.y_stride;
    for (int64_t i = 0; i < call.hidden; ++i) {
      if (std::isnan(LoadElement(y, i))) StoreElement(y, i, kCanonicalNan);
    }
  }
}

}  // namespace normd
