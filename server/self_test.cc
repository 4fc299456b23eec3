// SPDX-License-Identifier: Apache-2.0
#include "self_test.h"

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "normd/norm.h"

namespace normd {
namespace {

absl::StatusOr<std::vector<float>> NormalizeOn(const Target& target, const std::vector<float>& x) {
  const auto norm = Norm::Create({.hidden = static_cast<int64_t>(x.size())}, {.target = &target});
  if (!norm.ok()) return norm.status();
  std::vector<float> y(x.size());
  NormOperands operands;
  operands.rows = 1;
  operands.x.data = x.data();
  operands.y.data = y.data();
  if (auto status = norm->Run(operands); !status.ok()) return status;
  return y;
}

absl::Status Failed(const Target& target, size_t hidden) {
  return absl::InternalError(
      absl::StrCat("self-test: target ", std::string(target.name), " is wrong on a row of ", hidden));
}

absl::Status CheckWorkedExample(const Target& target) {
  const auto y = NormalizeOn(target, {3.2F, -1.8F, 0.5F, 2.1F});
  if (!y.ok()) return y.status();
  constexpr float kExact[] = {1.1701118F, -1.4892332F, -0.2659345F, 0.5850559F};
  for (size_t i = 0; i < 4; ++i) {
    if (!(std::abs((*y)[i] - kExact[i]) < 1e-6F)) return Failed(target, 4);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status SelfTest(const Target& target) {
  if (auto status = CheckWorkedExample(target); !status.ok()) return status;
  // A short row, one with a tail in each part of the kernel, a wide one.
  for (const size_t hidden : {size_t{7}, size_t{255}, size_t{771}, size_t{4096}}) {
    std::vector<float> x(hidden);
    for (size_t i = 0; i < hidden; ++i) x[i] = 1000.0F + static_cast<float>(i * 37 % 101) * 0.25F;
    const auto got = NormalizeOn(target, x);
    const auto expected = NormalizeOn(AllTargets().back(), x);
    if (!got.ok()) return got.status();
    if (!expected.ok()) return expected.status();
    if (std::memcmp(got->data(), expected->data(), hidden * sizeof(float)) != 0)
      return Failed(target, hidden);
  }
  return absl::OkStatus();
}

}  // namespace normd
