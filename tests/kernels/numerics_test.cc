// SPDX-License-Identifier: Apache-2.0
//
// Rows out of public bug reports (data/README.md), on every target this CPU has.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "harness.h"
#include "reference.h"

namespace normd {
namespace {

using nlohmann::json;

struct Case {
  std::string name;
  std::string kind;
  std::string dtype;
  bool residual;
  OwnedParameters parameters;
  std::vector<float> x;
  std::vector<long double> y;

  bool served() const { return kind == "layer_norm" && dtype == "f32" && !residual; }
};

// The cases that no kernel answers yet. A kernel that comes takes its cases off this list.
const std::set<std::string> kNotYetServed = {"rms_of_huge",        "rms_gain",     "f16_squares_overflow",
                                             "f16_large_variance", "f16_tiny_eps", "post_ln"};

std::vector<float> FloatsOf(const json& values) {
  return values.is_null() ? std::vector<float>() : values.get<std::vector<float>>();
}

Case CaseOf(const json& entry) {
  Case result{.name = entry.at("name"),
              .kind = entry.at("kind"),
              .dtype = entry.at("dtype"),
              .residual = !entry.at("residual").is_null(),
              .parameters = {},
              .x = FloatsOf(entry.at("x")),
              .y = {}};
  result.parameters = {FloatsOf(entry.at("gamma")), FloatsOf(entry.at("beta")), entry.at("eps")};
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

TEST(NumericsTest, EveryCaseIsRunOrListed) {
  std::set<std::string> unserved;
  for (const Case& one : Cases()) {
    if (!one.served()) unserved.insert(one.name);
  }
  EXPECT_EQ(unserved, kNotYetServed);
  EXPECT_EQ(Cases().size(), 30 + kNotYetServed.size());
  for (const std::string& name : unserved) std::cout << "not yet served: " << name << '\n';
}

// The decimals were computed elsewhere, with more digits: a flaw of the reference would show here.
TEST(NumericsTest, ReferenceAgreesWithTheDecimals) {
  for (const Case& one : Cases()) {
    if (!one.served()) continue;
    const ExactRow exact(one.x, one.parameters.epsilon);
    ASSERT_EQ(one.x.size(), one.y.size()) << one.name;
    for (size_t i = 0; i < one.y.size(); ++i) {
      const long double y = exact.Y(static_cast<int64_t>(i), one.parameters.gamma, one.parameters.beta);
      EXPECT_LE(std::fabs(y - one.y[i]), 1e-15L * std::fabs(one.y[i])) << one.name << " at " << i;
    }
  }
}

TEST(NumericsTest, EveryTargetKeepsTheContract) {
  for (const Target* target : TargetsHere()) {
    for (const Case& one : Cases()) {
      if (!one.served()) continue;
      const ExactRow exact(one.x, one.parameters.epsilon);
      const std::vector<float> y = NormalizedRow(*target, one.x, one.parameters);
      EXPECT_LE(ContractRowUlp(exact, one.parameters.gamma, one.parameters.beta, y), 8)
          << one.name << " on " << target->name;
    }
  }
}

}  // namespace
}  // namespace normd
