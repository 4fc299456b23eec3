// SPDX-License-Identifier: Apache-2.0
//
// What Norm::Run refuses, before anything is written.

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "harness.h"
#include "refusal.h"

namespace normd {
namespace {

constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();

// Layers of four values, rows and outputs for three rows; all is well unless a test says otherwise.
class RunTest : public testing::Test {
 protected:
  static constexpr int64_t kHidden = 4;
  static constexpr int64_t kRows = 3;

  NormOperands Good() {
    return {.rows = kRows,
            .x = {x_.data()},
            .residual = {residual_.data()},
            .y = {y_.data()},
            .residual_sum = {sum_.data()},
            .mean = mean_.data(),
            .rstd = rstd_.data()};
  }
  NormOperands Given() {
    NormOperands operands = Good();
    operands.mean = operands.rstd = nullptr;
    operands.given_mean = mean_.data();
    operands.given_rstd = rstd_.data();
    return operands;
  }
  // What rms_norm and batch_norm may have.
  NormOperands Plain() { return {.rows = kRows, .x = {x_.data()}, .y = {y_.data()}}; }

  // Refused, and nothing was written.
  testing::AssertionResult RefusedUntouched(const NormOperands& operands,
                                            const std::vector<std::string>& parts, const Norm& norm) {
    const std::vector<std::vector<float>> before = Memory();
    const testing::AssertionResult refused = Refused(norm.Run(operands), parts);
    if (!refused || before == Memory()) return refused;
    return testing::AssertionFailure() << "refused, but something was written";
  }
  testing::AssertionResult RefusedUntouched(const NormOperands& operands,
                                            const std::vector<std::string>& parts) {
    return RefusedUntouched(operands, parts, layer_);
  }
  std::vector<std::vector<float>> Memory() const {
    return {x_, residual_, y_, sum_, mean_, rstd_, gamma_, beta_, running_mean_, running_var_};
  }
  Norm Make(NormParameters parameters) {
    parameters.hidden = kHidden;
    return MakeNorm(parameters, {.target = &Scalar()});
  }

  std::vector<float> x_ = std::vector<float>(64, 1.5F);
  std::vector<float> residual_ = std::vector<float>(64, 1.75F);
  std::vector<float> y_ = std::vector<float>(64, 2.5F);
  std::vector<float> sum_ = std::vector<float>(64, 2.75F);
  std::vector<float> mean_ = std::vector<float>(8, 3.5F);
  std::vector<float> rstd_ = std::vector<float>(8, 4.5F);
  std::vector<float> gamma_ = std::vector<float>(kHidden, 1.0F);
  std::vector<float> beta_ = std::vector<float>(kHidden, 1.0F);
  std::vector<float> running_mean_ = std::vector<float>(kHidden, 1.0F);
  std::vector<float> running_var_ = std::vector<float>(kHidden, 1.0F);
  Norm layer_ = Make({.gamma = gamma_, .beta = beta_});
  Norm rms_ = Make({.kind = NormKind::kRmsNorm, .gamma = gamma_});
  Norm batch_ = Make({.kind = NormKind::kBatchNorm,
                      .gamma = gamma_,
                      .beta = beta_,
                      .running_mean = running_mean_,
                      .running_var = running_var_});
};

TEST_F(RunTest, GoodOperandsPass) {
  EXPECT_TRUE(layer_.Run(Good()).ok());
  EXPECT_TRUE(layer_.Run(Given()).ok());
  EXPECT_TRUE(rms_.Run(Plain()).ok());
  EXPECT_TRUE(batch_.Run(Plain()).ok());
}

TEST_F(RunTest, NegativeRows) {
  NormOperands operands = Good();
  operands.rows = -1;
  EXPECT_TRUE(RefusedUntouched(operands, {"rows", "0", "-1"}));
  operands.rows = std::numeric_limits<int64_t>::min();
  EXPECT_TRUE(RefusedUntouched(operands, {"rows"}));
}

TEST_F(RunTest, DataTypeThatIsNone) {
  for (const int32_t data_type : {0, 4, -1}) {
    NormOperands operands = Good();
    operands.data_type = static_cast<DataType>(data_type);
    EXPECT_TRUE(RefusedUntouched(operands, {"data_type", std::to_string(data_type)}));
  }
}

// Sets the stride of one operand by its name.
void SetStride(NormOperands& operands, const std::string& name, int64_t stride) {
  if (name == "x") operands.x.stride = stride;
  if (name == "residual") operands.residual.stride = stride;
  if (name == "y") operands.y.stride = stride;
  if (name == "residual_sum") operands.residual_sum.stride = stride;
}

TEST_F(RunTest, StrideBelowHidden) {
  for (const std::string name : {"x", "residual", "y", "residual_sum"}) {
    for (const int64_t stride : {int64_t{3}, int64_t{-5}, int64_t{-4}, -kLargest}) {
      NormOperands operands = Good();
      SetStride(operands, name, stride);
      EXPECT_TRUE(RefusedUntouched(operands, {name, std::to_string(stride), "4"}));
    }
  }
}

TEST_F(RunTest, SizesThatOverflow) {
  for (const int64_t rows : {int64_t{1} << 62, int64_t{1} << 60, kLargest, kLargest / 16 + 1}) {
    NormOperands operands = Good();
    operands.rows = rows;
    EXPECT_TRUE(RefusedUntouched(operands, {std::to_string(rows), "4"})) << rows;
  }
  for (const std::string name : {"x", "residual", "y", "residual_sum"}) {
    for (const int64_t stride : {kLargest, kLargest / 4, kLargest / 8}) {
      NormOperands operands = Good();
      SetStride(operands, name, stride);
      EXPECT_TRUE(RefusedUntouched(operands, {name, std::to_string(stride), "3"})) << stride;
    }
  }
}

TEST_F(RunTest, MissingAddress) {
  for (const NormOperands& good : {Good(), Plain()}) {
    NormOperands operands = good;
    operands.x.data = nullptr;
    EXPECT_TRUE(RefusedUntouched(operands, {"x", "3"}));
    operands = good;
    operands.y.data = nullptr;
    EXPECT_TRUE(RefusedUntouched(operands, {"y", "3"}));
  }
}

TEST_F(RunTest, SumWithoutResidual) {
  NormOperands operands = Good();
  operands.residual = {};
  EXPECT_TRUE(RefusedUntouched(operands, {"residual_sum", "residual"}));
}

TEST_F(RunTest, StatisticsThatTheKindDoesNotHave) {
  NormOperands operands = Plain();
  operands.mean = mean_.data();
  EXPECT_TRUE(RefusedUntouched(operands, {"mean", "rms_norm"}, rms_));
  EXPECT_TRUE(RefusedUntouched(operands, {"mean", "batch_norm"}, batch_));
  operands = Plain();
  operands.rstd = rstd_.data();
  EXPECT_TRUE(RefusedUntouched(operands, {"rstd", "batch_norm"}, batch_));
  EXPECT_TRUE(rms_.Run(operands).ok());
}

TEST_F(RunTest, GivenStatisticsThatTheKindDoesNotHave) {
  EXPECT_TRUE(RefusedUntouched(Given(), {"mean", "rms_norm"}, rms_));
  EXPECT_TRUE(RefusedUntouched(Given(), {"given", "batch_norm"}, batch_));
  NormOperands operands = Plain();
  operands.given_rstd = rstd_.data();
  EXPECT_TRUE(RefusedUntouched(operands, {"given", "batch_norm"}, batch_));
  EXPECT_TRUE(rms_.Run(operands).ok());
}

// layer_norm takes both or neither.
TEST_F(RunTest, HalfOfTheGivenStatistics) {
  NormOperands operands = Given();
  operands.given_mean = nullptr;
  EXPECT_TRUE(RefusedUntouched(operands, {"given_mean", "given_rstd"}));
  operands = Given();
  operands.given_rstd = nullptr;
  EXPECT_TRUE(RefusedUntouched(operands, {"given_mean", "given_rstd"}));
}

// The row's own are not computed then.
TEST_F(RunTest, StatisticsBothGivenAndWanted) {
  NormOperands operands = Given();
  std::vector<float> wanted(kRows);
  operands.mean = wanted.data();
  EXPECT_TRUE(RefusedUntouched(operands, {"given", "wanted"}));
  operands = Plain();
  operands.given_rstd = rstd_.data();
  operands.rstd = wanted.data();
  EXPECT_TRUE(RefusedUntouched(operands, {"given", "wanted"}, rms_));
}

}  // namespace
}  // namespace normd
