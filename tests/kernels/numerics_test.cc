// SPDX-License-Identifier: Apache-2.0
//
// Rows out of public bug reports (data/README.md), on every target this CPU has.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness.h"
#include "reference.h"
#include "search.h"

namespace normd {
namespace {

using nlohmann::json;

struct Case {
  std::string name;
  Trial row;
  std::vector<long double> y;
};

std::vector<float> FloatsOf(const json& values) {
  return values.is_null() ? std::vector<float>() : values.get<std::vector<float>>();
}

template <typename Enum>
Enum ByName(std::span<const Enum> all, const std::string& name) {
  return *std::ranges::find_if(all, [&](Enum one) { return NameOf(one) == name; });
}

Case CaseOf(const json& entry) {
  Case result{.name = entry.at("name"), .row = {}, .y = {}};
  result.row.parameters = {.gamma = FloatsOf(entry.at("gamma")),
                           .beta = FloatsOf(entry.at("beta")),
                           .epsilon = entry.at("eps"),
                           .kind = ByName<NormKind>(kEveryKind, entry.at("kind"))};
  result.row.data_type = ByName<DataType>(kEveryDataType, entry.at("dtype"));
  result.row.x = FloatsOf(entry.at("x"));
  result.row.residual = FloatsOf(entry.at("residual"));
  result.row.hidden = static_cast<int64_t>(result.row.x.size());
  for (const json& y : entry.at("y")) result.y.push_back(std::strtold(y.get<std::string>().c_str(), nullptr));
  return result;
}

std::vector<Case> Cases() {
  std::ifstream file(NORMD_KERNELS_TEST_DATA "/numerics.json");
  const json all = json::parse(file);
  std::vector<Case> cases;
  for (const json& entry : all.at("cases")) cases.push_back(CaseOf(entry));
  return cases;
}

TEST(NumericsTest, ThereAreThirtySixCases) { EXPECT_EQ(Cases().size(), 36U); }

// A value that the type lacks would be rounded before a kernel sees it.
TEST(NumericsTest, InputsAreValuesOfTheirType) {
  for (const Case& one : Cases()) {
    EXPECT_EQ(one.row.x, RoundAll(one.row.data_type, one.row.x)) << one.name;
    EXPECT_EQ(one.row.residual, RoundAll(one.row.data_type, one.row.residual)) << one.name;
  }
}

// The decimals were computed elsewhere, with more digits: a flaw of the reference would show here.
TEST(NumericsTest, ReferenceAgreesWithTheDecimals) {
  for (const Case& one : Cases()) {
    const ExactRow exact(one.row);
    ASSERT_EQ(one.row.x.size(), one.y.size()) << one.name;
    for (size_t i = 0; i < one.y.size(); ++i) {
      const long double y = exact.Y(static_cast<int64_t>(i));
      EXPECT_LE(std::fabs(y - one.y[i]), 1e-15L * std::fabs(one.y[i])) << one.name << " at " << i;
    }
  }
}

TEST(NumericsTest, EveryTargetKeepsTheContract) {
  for (const Target* target : TargetsHere()) {
    for (const Case& one : Cases()) {
      const std::vector<float> y = DecodeAll(one.row.data_type, Answer(*target, one.row).y);
      EXPECT_LE(ContractRowUlp(ExactRow(one.row), y), kWorstAllowed) << one.name << " on " << target->name;
    }
  }
}

}  // namespace
}  // namespace normd
