// SPDX-License-Identifier: Apache-2.0
#include "bench/statistics.h"

#include <gtest/gtest.h>

#include <numeric>

namespace normd {
namespace {

constexpr Percentile kP50{500'000}, kP90{900'000}, kP95{950'000}, kP99{990'000}, kP999{999'000},
    kAll{1'000'000};

// 1, 2, ... n, in falling order, so that the distribution has to sort them.
Distribution UpTo(uint64_t n) {
  std::vector<uint64_t> samples(n);
  std::iota(samples.rbegin(), samples.rend(), uint64_t{1});
  return Distribution(samples);
}

TEST(SamplesNeeded, IsTheEarlyStoppingRulesNumber) {
  EXPECT_EQ(SamplesNeeded(kP50), 11);
  EXPECT_EQ(SamplesNeeded(kP90), 64);
  EXPECT_EQ(SamplesNeeded(kP95), 130);
  EXPECT_EQ(SamplesNeeded(kP99), 662);
  EXPECT_EQ(SamplesNeeded(kP999), 6636);
  EXPECT_EQ(SamplesNeeded(kAll), 1);
}

TEST(Distribution, GivesTheSampleAtTheRankRoundedUp) {
  EXPECT_EQ(UpTo(64).At(kP90), 58u);        // 57.6
  EXPECT_EQ(UpTo(100).At(kP90), 90u);       // 90 exactly: not 91
  EXPECT_EQ(UpTo(10000).At(kP999), 9990u);  // 0.999 has no exact binary form
  EXPECT_EQ(UpTo(11).At(kP50), 6u);
  EXPECT_EQ(UpTo(20).At(kAll), 20u);
}

TEST(Distribution, GivesNothingOfTooFewSamples) {
  EXPECT_EQ(UpTo(63).At(kP90), std::nullopt);
  EXPECT_EQ(UpTo(6635).At(kP999), std::nullopt);
  EXPECT_TRUE(UpTo(6636).At(kP999).has_value());
}

TEST(Distribution, HasNoExtremesWhereItIsEmpty) {
  const Distribution empty({});
  EXPECT_EQ(empty.min(), std::nullopt);
  EXPECT_EQ(empty.max(), std::nullopt);
  EXPECT_EQ(empty.mean(), std::nullopt);
  EXPECT_EQ(empty.At(kAll), std::nullopt);
}

TEST(Distribution, KnowsItsExtremesAndMean) {
  const Distribution distribution({30, 10, 20});
  EXPECT_EQ(distribution.min(), 10u);
  EXPECT_EQ(distribution.max(), 30u);
  EXPECT_EQ(distribution.mean(), 20.0);
}

TEST(Distribution, CountsWhatIsAboveALimit) {
  const Distribution distribution({5, 5, 6, 7});
  EXPECT_EQ(distribution.CountAbove(5), 2);
  EXPECT_EQ(distribution.CountAbove(7), 0);
  EXPECT_EQ(distribution.CountAbove(0), 4);
}

TEST(ParsePercentiles, ReadsAList) {
  const auto percentiles = ParsePercentiles("50,99.9,99.9999,100");
  ASSERT_TRUE(percentiles.ok()) << percentiles.status();
  ASSERT_EQ(percentiles->size(), 4u);
  EXPECT_EQ((*percentiles)[1].millionths, 999'000);
  EXPECT_EQ((*percentiles)[1].Text(), "99.9");
  EXPECT_EQ((*percentiles)[2].millionths, 999'999);
}

TEST(ParsePercentiles, RefusesWhatIsNone) {
  for (const char* text : {"", "0", "-1", "100.1", "nan", "50,", "99.99999", "p50"}) {
    EXPECT_EQ(ParsePercentiles(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace normd
