// SPDX-License-Identifier: Apache-2.0
//
// The accuracy that normd/norm.h promises, against the exact reference. search_test and accuracy_search look
// for worse rows.

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <utility>
#include <vector>

#include "harness.h"
#include "reference.h"
#include "search.h"

namespace normd {
namespace {

// Nothing is asked of a row that is not finite: the reference's statistics are not, either.
void ExpectContract(const Trial& row, double allowed) {
  const ExactRow exact(row);
  if (!exact.finite()) return;
  std::vector<uint32_t> measured;
  for (const Target* target : TargetsHere()) {
    const std::vector<uint32_t> y = Answer(*target, row).y;
    if (y == std::exchange(measured, y)) continue;  // the reference is slow
    EXPECT_LE(ContractRowUlp(exact, DecodeAll(row.data_type, y)), allowed)
        << target->name << ", " << NameOf(row.parameters.kind) << " " << NameOf(row.data_type) << ", hidden "
        << row.hidden << ", x[0] " << row.x[0] << ", epsilon " << row.parameters.epsilon;
  }
}

// Each row of a batch.
void ExpectContracts(const Trial& trial, double allowed) {
  for (int64_t r = 0; r < trial.rows(); ++r) ExpectContract(RowOf(trial, r), allowed);
}

void ForEachKindAndType(auto use) {
  for (const NormKind kind : kEveryKind) {
    for (const DataType data_type : kEveryDataType) use(kind, data_type);
  }
}

// The widest rows have float32's sums; what the other types add to that shows in narrow ones. Where long
// double is computed in software the reference takes minutes for all of them.
std::vector<int64_t> WidthsOf(DataType data_type) {
  if (data_type != DataType::kFloat32) return EveryHidden(1151);
  return EveryHidden(LDBL_MANT_DIG > 64 ? 4097 : 16384);
}

TEST(AccuracyTest, OrdinaryRowsAreWithinTwo) {
  Random random(1);
  ForEachKindAndType([&](NormKind kind, DataType data_type) {
    for (const int64_t hidden : WidthsOf(data_type)) {
      Trial row = MakeTrial({kind, data_type}, 1, hidden, random);
      const ExactRow exact(row);
      for (const Target* target : TargetsHere()) {
        EXPECT_LE(StrictRowUlp(exact, DecodeAll(data_type, Answer(*target, row).y)), kOrdinaryAllowed)
            << target->name << ", " << NameOf(kind) << " " << NameOf(data_type) << ", hidden " << hidden;
      }
    }
  });
}

// With all that a kind may have.
TEST(AccuracyTest, OperandsKeepOrdinaryRowsWithinTwo) {
  Random random(2);
  ForEachKindAndType([&](NormKind kind, DataType data_type) {
    for (const int64_t hidden : WidthsOf(data_type)) {
      Trial row = MakeTrial(FullVariant(kind, data_type), 1, hidden, random);
      row.residual = OrdinaryRow(hidden, random, data_type);
      ExpectContract(row, kOrdinaryAllowed);
    }
  });
}

// Each parameter and operand there or not: one that is left out must not go with another one's.
TEST(AccuracyTest, EveryVariantKeepsTheContract) {
  Random random(11);
  for (const Variant& variant : EveryVariant()) {
    for (const int64_t hidden : {1, 33, 300})
      ExpectContracts(MakeTrial(variant, kRowKinds, hidden, random), kWorstAllowed);
  }
}

// As float32 it is 0, and the row is scaled to 1.
TEST(AccuracyTest, EpsilonIsRoundedToFloat) {
  for (const NormKind kind : {NormKind::kLayerNorm, NormKind::kRmsNorm}) {
    const Trial row{.parameters = {.epsilon = 1e-50, .kind = kind}, .hidden = 2, .x = {1e-30F, -1e-30F}};
    EXPECT_EQ(ExactRow(row).Y(0), 1);
    ExpectContract(row, kWorstAllowed);
  }
}

constexpr double kEpsilons[] = {1e-5, 0};

// Every finite row kind at every width: large bases, denormals, values whose squares overflow, random
// exponents; beside residuals of every kind.
TEST(AccuracyTest, HostileRowsKeepTheContract) {
  Random random(3);
  ForEachKindAndType([&](NormKind kind, DataType data_type) {
    for (const int64_t hidden : WidthsOf(data_type)) {
      Trial trial = MakeTrial({.kind = kind, .data_type = data_type, .residual = hidden % 3 == 0}, kRowKinds,
                              hidden, random);
      trial.parameters.epsilon = kEpsilons[hidden / 3 % 2];
      ExpectContracts(trial, kWorstAllowed);
    }
  });
}

std::vector<float> ScaledRow(int exponent, int64_t hidden, Random& random, DataType data_type) {
  std::vector<float> row(static_cast<size_t>(hidden));
  for (float& value : row) value = std::ldexp(static_cast<float>(random.Bell() / 4), exponent);
  return RoundAll(data_type, row);
}

// From denormals to overflow, so that the squares leave float's range at both ends, and by little.
TEST(AccuracyTest, EveryScaleKeepsTheContract) {
  Random random(6);
  ForEachKindAndType([&](NormKind kind, DataType data_type) {
    for (const int64_t hidden : {2, 5, 33, 300}) {
      for (int exponent = -149; exponent < 128; exponent += data_type == DataType::kFloat32 ? 1 : 5) {
        Trial row = MakeTrial({kind, data_type}, 1, hidden, random);
        row.x = ScaledRow(exponent, hidden, random, data_type);
        for (const double epsilon : kEpsilons) {
          row.parameters.epsilon = epsilon;
          ExpectContract(row, kWorstAllowed);
        }
      }
    }
  });
}

TEST(AccuracyTest, GivenStatistics) {
  Random random(7);
  for (const DataType data_type : kEveryDataType) {
    for (const NormKind kind : {NormKind::kLayerNorm, NormKind::kRmsNorm}) {
      for (const int64_t hidden : EveryHidden(1151)) {
        ExpectContracts(MakeTrial({.kind = kind, .data_type = data_type, .gamma = true, .given = true},
                                  kRowKinds, hidden, random),
                        kWorstAllowed);
      }
    }
  }
}

// The differences between values and statistics may be beyond float32, and what they are multiplied by far
// below it.
TEST(AccuracyTest, GivenStatisticsOfAnyMagnitude) {
  Random random(8);
  for (int i = 0; i < 2000; ++i) {
    const int64_t hidden = 1 + random.Below(70);
    Trial row = MakeTrial({.kind = i % 2 == 0 ? NormKind::kLayerNorm : NormKind::kRmsNorm, .given = true}, 1,
                          hidden, random);
    for (float& value : row.x) value = AnyMagnitude(random);
    for (float& mean : row.given_mean) mean = -AnyMagnitude(random);
    row.given_rstd[0] = AnyMagnitude(random);
    ExpectContract(row, kWorstAllowed);
  }
}

// As loaded from any checkpoint: features whose scale is denormal or beyond float32, dead ones, huge ones.
TEST(AccuracyTest, BatchNormParametersOfAnyMagnitude) {
  Random random(9);
  for (int i = 0; i < 2000; ++i) {
    const int64_t hidden = 1 + random.Below(70);
    Trial row = MakeTrial({.kind = NormKind::kBatchNorm, .gamma = i % 2 == 0}, 1, hidden, random);
    const float gamma = AnyMagnitude(random);
    for (float& value : row.parameters.gamma) value = gamma;
    for (float& value : row.parameters.running_var) value = AnyMagnitude(random);
    for (float& value : row.parameters.running_mean) value = -AnyMagnitude(random);
    for (float& value : row.x) value = AnyMagnitude(random);
    row.parameters.epsilon = kEpsilons[i / 2 % 2];
    ExpectContract(row, kWorstAllowed);
  }
}

// Large gammas on an xhat that is denormal, and small ones on large answers.
TEST(AccuracyTest, GammaOfAnyMagnitude) {
  Random random(10);
  ForEachKindAndType([&](NormKind kind, DataType data_type) {
    for (int i = 0; i < 1000; ++i) {
      Trial row =
          MakeTrial({.kind = kind, .data_type = data_type, .gamma = true}, 1, 1 + random.Below(70), random);
      row.x = ScaledRow(static_cast<int>(random.Below(276)) - 149, row.hidden, random, data_type);
      for (float& gamma : row.parameters.gamma) gamma = AnyMagnitude(random);
      row.parameters.epsilon = i % 3 == 0 ? 1 : kEpsilons[i % 2];
      ExpectContract(row, kWorstAllowed);
    }
  });
}

void ExpectStatistics(const Target& target, const Trial& row) {
  const ExactRow exact(row);
  if (!exact.finite()) return;
  const Bits bits = Answer(target, row);
  const float rstd = ValuesOf(bits.rstd)[0];
  EXPECT_LE(std::fabs(rstd - exact.rstd()), kWorstAllowed * 0x1p-23L * exact.rstd())
      << target.name << ", hidden " << row.hidden;
  if (!row.wants_mean) return;
  const float mean = ValuesOf(bits.mean)[0];
  const long double row_ulp = 0x1p-23L * exact.LargestXhat() / exact.rstd();
  EXPECT_LE(std::fabs(mean - exact.mean()),
            kWorstAllowed * row_ulp + 0x1p-23L * std::fabs(exact.mean()) + 0x1p-149L)
      << target.name << ", hidden " << row.hidden;
}

TEST(AccuracyTest, MeanAndRstd) {
  Random random(4);
  for (const DataType data_type : kEveryDataType) {
    for (const NormKind kind : {NormKind::kLayerNorm, NormKind::kRmsNorm}) {
      for (const int64_t hidden : EveryHidden(1151)) {
        const Trial trial = MakeTrial(FullVariant(kind, data_type), kRowKinds, hidden, random);
        for (const Target* target : TargetsHere())
          ExpectStatistics(*target, RowOf(trial, random.Below(kRowKinds)));
      }
    }
  }
}

}  // namespace
}  // namespace normd
