// SPDX-License-Identifier: Apache-2.0
#include "answer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "memory.h"

namespace normd::bench {
namespace {

std::vector<double> RowOf(const Cell& cell, const void* rows, int64_t row) {
  const int64_t bytes = cell.hidden * BytesOf(cell.type);
  const std::vector<float> values =
      Load(cell.type, static_cast<const char*>(rows) + row * bytes, cell.hidden);
  return {values.begin(), values.end()};
}

std::vector<double> Expected(const Cell& cell, const Buffers& buffers, int64_t row) {
  std::vector<double> v = RowOf(cell, buffers.x, row);
  if (cell.kind == Kind::kResidual) {
    const std::vector<double> residual = RowOf(cell, buffers.residual, row);
    std::transform(v.begin(), v.end(), residual.begin(), v.begin(), std::plus());
  }
  const double hidden = static_cast<double>(cell.hidden);
  const bool rms = cell.kind == Kind::kRms;
  const double mean = rms ? 0 : std::accumulate(v.begin(), v.end(), 0.0) / hidden;
  double squares = 0;
  for (const double value : v) squares += (value - mean) * (value - mean);
  const double rstd = 1 / std::sqrt(squares / hidden + static_cast<double>(kEpsilon));
  for (size_t i = 0; i < v.size(); ++i) {
    const double beta = rms ? 0 : static_cast<double>(buffers.beta[i]);
    v[i] = (v[i] - mean) * rstd * static_cast<double>(buffers.gamma[i]) + beta;
  }
  return v;
}

// As a part of the row's largest value; NaN counts as infinitely much.
double Error(const std::vector<double>& expected, const std::vector<double>& got) {
  double error = 0;
  double largest = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double difference = std::abs(got[i] - expected[i]);
    error = std::max(error, std::isnan(difference) ? HUGE_VAL : difference);
    largest = std::max(largest, std::abs(expected[i]));
  }
  return error / largest;
}

}  // namespace

void CheckAnswer(const Call& call, const Cell& cell, const Buffers& buffers) {
  const double allowed = cell.type == Type::kFloat32 ? 1e-5 : cell.type == Type::kFloat16 ? 1e-2 : 5e-2;
  const size_t row_bytes = static_cast<size_t>(cell.hidden * BytesOf(cell.type));
  for (const int64_t row : {int64_t{0}, cell.rows - 1}) {
    std::memset(static_cast<char*>(buffers.y) + static_cast<size_t>(row) * row_bytes, 0xFF,
                row_bytes);  // NaN
  }
  call.run();
  for (const int64_t row : {int64_t{0}, cell.rows - 1}) {
    const double error = Error(Expected(cell, buffers, row), RowOf(cell, buffers.y, row));
    if (error <= allowed) continue;
    throw std::runtime_error("its row " + std::to_string(row) + " is wrong by " + std::to_string(error) +
                             " of its largest value");
  }
}

}  // namespace normd::bench
