// SPDX-License-Identifier: Apache-2.0
#include "accuracy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <span>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "reference.h"

namespace normd::bench {
namespace {

constexpr int64_t kRows = 64;

using MakeValue = std::function<double(int64_t index, double normal)>;

struct Hard {
  const char* name;
  MakeValue value;
};

// What has broken one library or another; "spread" is the standard deviation.
std::vector<Hard> HardRows() {
  return {
      {"normal", [](int64_t, double normal) { return normal; }},
      {"mean 1e3, spread 1", [](int64_t, double normal) { return 1e3 + normal; }},
      {"mean 1e5, spread 0.01", [](int64_t, double normal) { return 1e5 + 0.01 * normal; }},
      {"mean 1e6, spread 1", [](int64_t, double normal) { return 1e6 + normal; }},
      {"40000 to 40003", [](int64_t index, double) { return 40000 + static_cast<double>(index % 4); }},
      {"spread 1e30", [](int64_t, double normal) { return 1e30 * normal; }},
      {"spread 1e-20", [](int64_t, double normal) { return 1e-20 * normal; }},
      {"constant 1234.567", [](int64_t, double) { return 1234.567; }},
      {"1e6 at index 0", [](int64_t index, double normal) { return index == 0 ? 1e6 : normal; }},
      {"16.1, then 0.000688", [](int64_t index, double) { return index == 0 ? 16.1 : 0.000688; }},
      {"alternating 1, -1", [](int64_t index, double) { return index % 2 == 0 ? 1.0 : -1.0; }},
  };
}

std::vector<float> MakeRows(const Hard& hard, int64_t hidden) {
  std::mt19937_64 engine(1607);
  std::normal_distribution<double> normal;
  std::vector<float> rows;
  for (int64_t i = 0; i < kRows * hidden; ++i) {
    rows.push_back(static_cast<float>(hard.value(i % hidden, normal(engine))));
  }
  return rows;
}

// Those that write to the cell's memory, each library once.
Contestants Asked(const Contestants& contestants) {
  Contestants asked;
  for (const Contestant& contestant : contestants) {
    const bool known = std::any_of(asked.begin(), asked.end(), [&](const Contestant& other) {
      return contestant.part == Part::kOperator && other.name.starts_with(contestant.name);
    });
    const bool library = contestant.part == Part::kOurs || contestant.part == Part::kKernel ||
                         contestant.part == Part::kOperator;
    if (library && !known && contestant.why_not.empty()) asked.push_back(contestant);
  }
  return asked;
}

struct Work {
  explicit Work(std::vector<float> rows, int64_t hidden)
      : cell{.rows = kRows, .hidden = hidden},
        x(std::move(rows)),
        y(x.size()),
        gamma(static_cast<size_t>(hidden), 1.0f),
        beta(static_cast<size_t>(hidden)),
        statistics(2 * kRows) {}

  Buffers buffers() {
    Buffers all{.x = x.data(), .gamma = gamma.data(), .beta = beta.data(), .y = y.data()};
    all.gamma_in_type = all.gamma;
    all.beta_in_type = all.beta;
    all.mean = statistics.data();
    all.rstd = all.mean + kRows;
    return all;
  }

  Cell cell;
  std::vector<float> x, y, gamma, beta, statistics;
};

double Worst(const Contestant& contestant, Work& work) {
  const Call call = contestant.prepare(work.cell, work.buffers());
  std::fill(work.y.begin(), work.y.end(), std::numeric_limits<float>::quiet_NaN());
  call.run();
  if (std::any_of(work.y.begin(), work.y.end(), [](float value) { return std::isnan(value); })) return NAN;
  const size_t hidden = static_cast<size_t>(work.cell.hidden);
  double worst = 0;
  for (size_t row = 0; row < kRows; ++row) {
    const ExactRow exact(std::span(work.x).subspan(row * hidden, hidden), static_cast<double>(kEpsilon));
    worst = std::max(worst, StrictRowUlp(exact, std::span(work.y).subspan(row * hidden, hidden)));
  }
  return worst;
}

std::string Number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return "not 0";
  return value < 100 ? absl::StrFormat("%.2f", value) : absl::StrFormat("%.0f", value);
}

}  // namespace

Accuracy MeasureAccuracy(const Contestants& contestants, const std::vector<int64_t>& hidden) {
  const Contestants asked = Asked(contestants);
  Accuracy accuracy;
  for (const Contestant& contestant : asked) accuracy.names.push_back(contestant.name);
  for (const int64_t width : hidden) {
    for (const Hard& hard : HardRows()) {
      Work work(MakeRows(hard, width), width);
      AccuracyRow row{hard.name, width, {}};
      for (const Contestant& contestant : asked) row.worst.push_back(Worst(contestant, work));
      accuracy.rows.push_back(std::move(row));
    }
  }
  return accuracy;
}

std::string Text(const Accuracy& accuracy) {
  std::string text = "Error in row-ULP: 2^-23 of the row's largest normalized value. Worst of 64 rows.\n\n";
  absl::StrAppendFormat(&text, "%-28s", "row");
  for (const std::string& name : accuracy.names) absl::StrAppendFormat(&text, "%*s", name.size() + 2, name);
  for (const AccuracyRow& row : accuracy.rows) {
    absl::StrAppendFormat(&text, "\n%-22s%6d", row.name, row.hidden);
    for (size_t i = 0; i < row.worst.size(); ++i) {
      absl::StrAppendFormat(&text, "%*s", accuracy.names[i].size() + 2, Number(row.worst[i]));
    }
  }
  return text + "\n";
}

}  // namespace normd::bench
