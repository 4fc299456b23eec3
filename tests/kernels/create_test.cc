// SPDX-License-Identifier: Apache-2.0
//
// What Norm::Create refuses.

#include <gtest/gtest.h>

#include <limits>

#include "harness.h"
#include "refusal.h"

namespace normd {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

absl::Status StatusOf(const NormParameters& parameters, NormOptions options = {}) {
  options.target = &Scalar();
  return Norm::Create(parameters, options).status();
}

// Four values, each kind with no more than it needs.
constexpr float kOnes[4] = {1, 1, 1, 1};
NormParameters Minimal(NormKind kind) {
  if (kind != NormKind::kBatchNorm) return {.kind = kind, .hidden = 4};
  return {.kind = kind, .hidden = 4, .running_mean = kOnes, .running_var = kOnes};
}

TEST(CreateTest, EachKindPasses) {
  for (const NormKind kind : kEveryKind) {
    const absl::StatusOr<Norm> norm = Norm::Create(Minimal(kind), {.target = &Scalar()});
    ASSERT_TRUE(norm.ok()) << norm.status();
    EXPECT_EQ(norm->kind(), kind);
    EXPECT_EQ(norm->hidden(), 4);
  }
}

TEST(CreateTest, HiddenBelowOne) {
  for (const NormKind kind : kEveryKind) {
    EXPECT_TRUE(Refused(StatusOf({.kind = kind, .hidden = 0}), {"hidden", "1", "0"}));
    EXPECT_TRUE(Refused(StatusOf({.kind = kind, .hidden = -7}), {"hidden", "1", "-7"}));
  }
}

TEST(CreateTest, KindThatIsNone) {
  for (const int32_t kind : {0, 4, -1})
    EXPECT_TRUE(Refused(StatusOf({.kind = static_cast<NormKind>(kind), .hidden = 4}),
                        {"kind", std::to_string(kind)}));
}

TEST(CreateTest, ParametersOfAnotherLength) {
  const std::vector<float> three(3);
  const std::vector<float> five(5);
  NormParameters parameters = Minimal(NormKind::kBatchNorm);
  for (const auto& [name, member] : {std::pair("gamma", &NormParameters::gamma),
                                     {"beta", &NormParameters::beta},
                                     {"running_mean", &NormParameters::running_mean},
                                     {"running_var", &NormParameters::running_var}}) {
    const std::span<const float> before = std::exchange(parameters.*member, three);
    EXPECT_TRUE(Refused(StatusOf(parameters), {name, "3", "4"}));
    parameters.*member = five;
    EXPECT_TRUE(Refused(StatusOf(parameters), {name, "5", "4"}));
    parameters.*member = before;
    EXPECT_TRUE(StatusOf(parameters).ok());
  }
}

TEST(CreateTest, ParametersThatTheKindDoesNotTake) {
  EXPECT_TRUE(
      Refused(StatusOf({.kind = NormKind::kRmsNorm, .hidden = 4, .beta = kOnes}), {"rms_norm", "beta"}));
  for (const NormKind kind : {NormKind::kLayerNorm, NormKind::kBatchNorm}) {
    NormParameters parameters = Minimal(kind);
    parameters.gamma_offset = 1;
    EXPECT_TRUE(Refused(StatusOf(parameters), {"gamma_offset", "rms_norm"}));
  }
  for (const NormKind kind : {NormKind::kLayerNorm, NormKind::kRmsNorm}) {
    EXPECT_TRUE(Refused(StatusOf({.kind = kind, .hidden = 4, .running_mean = kOnes}),
                        {"running_mean", "batch_norm"}));
    EXPECT_TRUE(
        Refused(StatusOf({.kind = kind, .hidden = 4, .running_var = kOnes}), {"running_var", "batch_norm"}));
  }
}

TEST(CreateTest, StatisticsThatBatchNormLacks) {
  const NormKind kind = NormKind::kBatchNorm;
  EXPECT_TRUE(Refused(StatusOf({.kind = kind, .hidden = 4}), {"running_mean", "running_var", "4"}));
  EXPECT_TRUE(Refused(StatusOf({.kind = kind, .hidden = 4, .running_mean = kOnes}), {"running_var", "4"}));
  EXPECT_TRUE(Refused(StatusOf({.kind = kind, .hidden = 4, .running_var = kOnes}), {"running_mean", "4"}));
}

TEST(CreateTest, RunningVarThatIsNegativeOrNan) {
  for (const float bad : {-0.25F, -kInfinity, kNan, -1e-45F}) {
    const std::vector<float> variances = {1, 0, bad, 1};
    NormParameters parameters = Minimal(NormKind::kBatchNorm);
    parameters.running_var = variances;
    EXPECT_TRUE(Refused(StatusOf(parameters), {"running_var", "2"})) << bad;
  }
  const std::vector<float> good = {0, -0.0F, kInfinity, 1e-45F};
  NormParameters parameters = Minimal(NormKind::kBatchNorm);
  parameters.running_var = good;
  EXPECT_TRUE(StatusOf(parameters).ok());
}

TEST(CreateTest, Epsilon) {
  for (const NormKind kind : kEveryKind) {
    NormParameters parameters = Minimal(kind);
    using Double = std::numeric_limits<double>;
    for (const double bad :
         {-1e-5, -Double::infinity(), Double::infinity(), Double::quiet_NaN(), 1e300, -1e-300}) {
      parameters.epsilon = bad;
      EXPECT_TRUE(Refused(StatusOf(parameters), {"epsilon"})) << bad;
    }
    for (const double good : {0.0, -0.0, 1e-300, 1e-12, 1.0, 3e38}) {
      parameters.epsilon = good;
      EXPECT_TRUE(StatusOf(parameters).ok()) << good;
    }
  }
}

TEST(CreateTest, ErrorsNameTheEpsilon) {
  EXPECT_TRUE(Refused(StatusOf({.hidden = 4, .epsilon = -0.25}), {"-0.25"}));
}

TEST(CreateTest, GammaOffset) {
  for (const float bad : {kNan, kInfinity, -kInfinity}) {
    EXPECT_TRUE(
        Refused(StatusOf({.kind = NormKind::kRmsNorm, .hidden = 4, .gamma_offset = bad}), {"gamma_offset"}))
        << bad;
  }
  EXPECT_TRUE(StatusOf({.kind = NormKind::kRmsNorm, .hidden = 4, .gamma_offset = -1}).ok());
}

TEST(CreateTest, Options) {
  for (const int bad : {0, -1, std::numeric_limits<int>::min()})
    EXPECT_TRUE(Refused(StatusOf({.hidden = 4}, {.tasks = bad}), {"tasks", "1", std::to_string(bad)}));
  EXPECT_TRUE(Refused(StatusOf({.hidden = 4}, {.streaming_bytes = -1}), {"streaming_bytes", "0", "-1"}));
  EXPECT_TRUE(StatusOf({.hidden = 4}, {.tasks = std::numeric_limits<int>::max(), .streaming_bytes = 0}).ok());
}

}  // namespace
}  // namespace normd
