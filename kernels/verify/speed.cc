// SPDX-License-Identifier: Apache-2.0
#include "speed.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>

#include "normd/norm.h"
#include "rows.h"

namespace normd {
namespace {

using Clock = std::chrono::steady_clock;

double Nanoseconds(const std::function<void()>& call, int64_t calls) {
  const Clock::time_point start = Clock::now();
  for (int64_t i = 0; i < calls; ++i) call();
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count() / static_cast<double>(calls);
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<int64_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The median of each call, all of which take turns.
std::vector<double> Medians(const std::vector<std::function<void()>>& calls) {
  constexpr int kRounds = 15;
  constexpr double kRoundNanoseconds = 1e6;
  std::vector<std::vector<double>> times(calls.size());
  std::vector<int64_t> repeats;
  for (const auto& call : calls) {
    repeats.push_back(std::max<int64_t>(1, static_cast<int64_t>(kRoundNanoseconds / Nanoseconds(call, 8))));
  }
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < calls.size(); ++i) times[i].push_back(Nanoseconds(calls[i], repeats[i]));
  }
  std::vector<double> medians;
  for (const std::vector<double>& one : times) medians.push_back(Median(one));
  return medians;
}

}  // namespace

Speed MeasureSpeed(std::span<const Target* const> targets, int64_t rows, int64_t hidden) {
  Random random(1);
  const std::vector<float> x = OrdinaryRow(rows * hidden, random);
  const std::vector<float> gamma = ParameterRow(hidden, 1, random);
  const std::vector<float> beta = ParameterRow(hidden, 0, random);
  std::vector<float> y(x.size());
  std::vector<std::function<void()>> calls = {
      [&] { std::memcpy(y.data(), x.data(), x.size() * sizeof(float)); }};
  NormOperands operands;
  operands.rows = rows;
  operands.x.data = x.data();
  operands.y.data = y.data();
  for (const Target* target : targets) {
    const auto norm = Norm::Create({.hidden = hidden, .gamma = gamma, .beta = beta}, {.target = target});
    calls.emplace_back([norm, operands] { norm->Run(operands).IgnoreError(); });
  }
  const std::vector<double> medians = Medians(calls);
  return {rows, hidden, medians[0], {medians.begin() + 1, medians.end()}};
}

}  // namespace normd
