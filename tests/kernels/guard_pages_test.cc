// SPDX-License-Identifier: Apache-2.0
//
// Every operand against a page that may not be touched: nothing outside them is read or written.

#include <gtest/gtest.h>

#include "guarded.h"
#include "harness.h"

namespace normd {
namespace {

// All operands and parameters of a trial.
class GuardedCall {
 public:
  GuardedCall(const Trial& trial, GuardSide side)
      : trial_(trial),
        x_(Stored(trial.x), side),
        residual_(Stored(trial.residual), side),
        y_(Stored(trial.x), side),
        sum_(Stored(trial.wants_sum ? trial.x : std::vector<float>()), side),
        mean_(Statistics(trial.wants_mean), side),
        rstd_(Statistics(trial.wants_rstd), side),
        given_mean_(trial.given_mean, side),
        given_rstd_(trial.given_rstd, side),
        gamma_(trial.parameters.gamma, side),
        beta_(trial.parameters.beta, side),
        running_mean_(trial.parameters.running_mean, side),
        running_var_(trial.parameters.running_var, side) {}

  NormParameters Parameters() const {
    NormParameters parameters = trial_.parameters.View(trial_.hidden);
    parameters.gamma = gamma_.values();
    parameters.beta = beta_.values();
    parameters.running_mean = running_mean_.values();
    parameters.running_var = running_var_.values();
    return parameters;
  }

  NormOperands Operands() const {
    return {.rows = trial_.rows(),
            .data_type = trial_.data_type,
            .x = {x_.data()},
            .residual = {residual_.data()},
            .y = {y_.data()},
            .residual_sum = {sum_.data()},
            .mean = mean_.floats(),
            .rstd = rstd_.floats(),
            .given_mean = given_mean_.floats(),
            .given_rstd = given_rstd_.floats()};
  }

  Bits Outputs() const {
    return {BitsOfBytes(trial_.data_type, y_.bytes()), BitsOfBytes(trial_.data_type, sum_.bytes()),
            BitsOf(mean_.values()), BitsOf(rstd_.values())};
  }

 private:
  std::vector<std::byte> Stored(const std::vector<float>& values) const {
    return BytesOfBits(trial_.data_type, EncodeAll(trial_.data_type, values));
  }
  std::vector<float> Statistics(bool wanted) const {
    return std::vector<float>(static_cast<size_t>(wanted ? trial_.rows() : 0));
  }

  const Trial& trial_;
  Guarded x_, residual_, y_, sum_, mean_, rstd_, given_mean_, given_rstd_, gamma_, beta_, running_mean_,
      running_var_;
};

void ExpectInside(const Target& target, const Trial& trial, const Variant& variant) {
  const Bits expected = Answer(target, trial);
  for (const GuardSide side : {GuardSide::kAfter, GuardSide::kBefore}) {
    for (const std::optional<int64_t> streaming_bytes :
         {std::optional<int64_t>(), std::optional<int64_t>(0)}) {
      const GuardedCall call(trial, side);
      const NormOptions options{.target = &target, .streaming_bytes = streaming_bytes};
      ASSERT_TRUE(MakeNorm(call.Parameters(), options).Run(call.Operands()).ok());
      ASSERT_TRUE(SameBits(expected, call.Outputs()))
          << target.name << ", " << Describe(variant) << ", hidden " << trial.hidden;
    }
  }
}

// The widths are shared out among the variants of a kind and type; each meets about every tail.
TEST(GuardPagesTest, NothingOutsideTheOperandsIsTouched) {
  Random random(38);
  for (const NormKind kind : kEveryKind) {
    for (const DataType data_type : kEveryDataType) {
      const std::vector<Variant> variants = VariantsOf(kind, data_type);
      for (int64_t hidden = 1; hidden <= 200; ++hidden) {
        const Variant& variant =
            variants[static_cast<size_t>(random.Below(static_cast<int64_t>(variants.size())))];
        const Trial trial =
            MakeTrial(variant, 1 + random.Below(3), hidden, random, static_cast<int>(hidden % kRowKinds));
        for (const Target* target : TargetsHere()) ExpectInside(*target, trial, variant);
      }
    }
  }
}

// Rows at once, and groups of 128 with each count of blocks in the last one.
TEST(GuardPagesTest, WideRowsAndManyOfThem) {
  Random random(39);
  for (const NormKind kind : kEveryKind) {
    for (const DataType data_type : kEveryDataType) {
      const Variant variant = FullVariant(kind, data_type);
      for (const int64_t hidden : {8, 9, 255, 256, 257, 289, 321, 353, 385, 1151, 1153, 4099}) {
        const Trial trial = MakeTrial(variant, 17, hidden, random);
        for (const Target* target : TargetsHere()) ExpectInside(*target, trial, variant);
      }
    }
  }
}

}  // namespace
}  // namespace normd
