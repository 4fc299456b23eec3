// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

#include <algorithm>
#include <iterator>

namespace normd::bench {
namespace {

constexpr int64_t kRows[] = {1, 8, 64, 512, 4096};
constexpr int64_t kHidden[] = {64, 384, 768, 1024, 4096, 8192};
constexpr double kRatios[][std::size(kHidden)] = {
    {1.38, 1.35, 1.14, 1.22, 1.18, 1.18},  //
    {1.43, 2.21, 1.56, 1.42, 1.39, 1.46},  //
    {1.38, 1.75, 1.69, 1.40, 1.24, 1.28},  //
    {1.25, 1.63, 1.32, 1.26, 1.58, 2.26},  //
    {1.36, 1.06, 1.30, 1.51, 1.60, 1.62},
};

}  // namespace

std::optional<double> LabRatio(const Cell& cell) {
  if (cell.type != Type::kFloat32 || cell.kind != Kind::kPlain || cell.threads != 1) return std::nullopt;
  const auto row = std::find(std::begin(kRows), std::end(kRows), cell.rows);
  const auto column = std::find(std::begin(kHidden), std::end(kHidden), cell.hidden);
  if (row == std::end(kRows) || column == std::end(kHidden)) return std::nullopt;
  return kRatios[row - std::begin(kRows)][column - std::begin(kHidden)];
}

}  // namespace normd::bench
