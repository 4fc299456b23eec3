// SPDX-License-Identifier: Apache-2.0
//
// The closed loop in simulated time: a clock that only calls and sleeps move.
#include "bench/loop.h"

#include <gtest/gtest.h>

namespace normd {
namespace {

class SimulatedClock : public Clock {
 public:
  uint64_t Now() override { return now_; }
  void SleepUntil(uint64_t time) override { now_ = std::max(now_, std::min(time, interrupt_at_)); }
  bool Interrupted() override { return now_ >= interrupt_at_; }

  void Advance(uint64_t nanoseconds) { now_ += nanoseconds; }
  void InterruptAt(uint64_t time) { interrupt_at_ = time; }

 private:
  uint64_t now_ = 1000;
  uint64_t interrupt_at_ = UINT64_MAX;
};

class LoopTest : public testing::Test {
 protected:
  // Calls that take as long as `durations` says, over and over, and note when they were sent.
  Call Taking(std::vector<uint64_t> durations) {
    return [this, durations](CallTimings*) {
      sent_.push_back(clock_.Now());
      clock_.Advance(durations[(sent_.size() - 1) % durations.size()]);
      return absl::OkStatus();
    };
  }

  Tally Run(const Extent& extent, const Pace& pace, const Call& call) {
    Phase phase(extent, clock_.Now());
    return RunClosedLoop(pace, phase, clock_, call);
  }

  SimulatedClock clock_;
  std::vector<uint64_t> sent_;
};

constexpr Pace kUnpaced{.max_samples = 1000};

TEST_F(LoopTest, MakesAsManyCallsAsAsked) {
  const Tally tally = Run({.calls = 3}, kUnpaced, Taking({10, 20, 30}));
  ASSERT_EQ(tally.samples.size(), 3u);
  EXPECT_EQ(tally.samples[1].latency, 20u);
  EXPECT_EQ(sent_, (std::vector<uint64_t>{1000, 1010, 1030}));
}

TEST_F(LoopTest, FinishesTheCallThatTheTimeRunsOutIn) {
  const Tally tally = Run({.nanoseconds = 25}, kUnpaced, Taking({10}));
  EXPECT_EQ(tally.samples.size(), 3u);
  EXPECT_TRUE(tally.errors.empty());
}

TEST_F(LoopTest, WarmsUpUntilBothBoundsAreReached) {
  EXPECT_EQ(Run({.calls = 2, .nanoseconds = 100, .until_both = true}, kUnpaced, Taking({10})).samples.size(),
            10u);
  EXPECT_EQ(Run({.calls = 20, .nanoseconds = 100, .until_both = true}, kUnpaced, Taking({10})).samples.size(),
            20u);
}

TEST_F(LoopTest, SharesItsCallsAmongWorkers) {
  Phase phase({.calls = 3}, clock_.Now());
  const size_t first = RunClosedLoop({.max_samples = 2}, phase, clock_, Taking({10})).samples.size();
  const size_t second = RunClosedLoop(kUnpaced, phase, clock_, Taking({10})).samples.size();
  EXPECT_EQ(first, 2u);
  EXPECT_EQ(second, 1u);
}

TEST_F(LoopTest, SendsOneCallEachInterval) {
  Run({.calls = 4}, {.interval = 100, .max_samples = 1000}, Taking({10, 20}));
  EXPECT_EQ(sent_, (std::vector<uint64_t>{1000, 1100, 1200, 1300}));
  EXPECT_EQ(clock_.Now(), 1320u);  // nothing is waited for behind the last call
}

TEST_F(LoopTest, ASlowCallDelaysTheNextAndIsNotCaughtUpWith) {
  Run({.calls = 4}, {.interval = 100, .max_samples = 1000}, Taking({10, 250, 10, 10}));
  EXPECT_EQ(sent_, (std::vector<uint64_t>{1000, 1100, 1350, 1450}));
}

TEST_F(LoopTest, CountsErrorsApart) {
  int calls = 0;
  const Tally tally = Run({.calls = 4}, kUnpaced, [&](CallTimings*) -> absl::Status {
    clock_.Advance(10);
    if (++calls % 2 == 0) return absl::NotFoundError(calls == 2 ? "first" : "later");
    return absl::OkStatus();
  });
  EXPECT_EQ(tally.samples.size(), 2u);
  EXPECT_EQ(tally.errors.at(absl::StatusCode::kNotFound), 2u);
  EXPECT_EQ(tally.first_error.at(absl::StatusCode::kNotFound), "first");
}

TEST_F(LoopTest, AWarmUpEndsWithItsFirstError) {
  const Tally tally = Run({.calls = 100}, {.max_samples = 1000, .until_error = true},
                          [&](CallTimings*) { return absl::UnavailableError("no"); });
  EXPECT_EQ(tally.errors.at(absl::StatusCode::kUnavailable), 1u);
}

TEST_F(LoopTest, AnInterruptKeepsWhatThereIs) {
  clock_.InterruptAt(1025);
  EXPECT_EQ(Run({.calls = 100}, kUnpaced, Taking({10})).samples.size(), 3u);
}

TEST_F(LoopTest, AnInterruptEndsASleep) {
  clock_.InterruptAt(1050);
  EXPECT_EQ(Run({.calls = 100}, {.interval = 1'000'000, .max_samples = 1000}, Taking({10})).samples.size(),
            1u);
  EXPECT_EQ(clock_.Now(), 1050u);
}

TEST_F(LoopTest, EndsWhereItKeepsNoMoreSamples) {
  const Tally tally = Run({.calls = 100}, {.max_samples = 5}, Taking({10}));
  EXPECT_EQ(tally.samples.size(), 5u);
  EXPECT_TRUE(tally.full);
}

}  // namespace
}  // namespace normd
