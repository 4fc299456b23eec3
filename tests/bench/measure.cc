// SPDX-License-Identifier: Apache-2.0
#include "measure.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>

#include "answer.h"
#include "machine.h"

namespace normd::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Runner {
  size_t contestant;
  Call call;
  double nanoseconds = 0;  // a call, roughly
  int64_t repetitions = 1;

  // The scalar target on large cells, for one: three rounds tell as much as fifteen, in a fifth of the time.
  bool slow() const { return nanoseconds > 50e6; }
};

constexpr int kRoundsOfSlow = 3;

double TimeOf(const std::function<void()>& run, int64_t repetitions) {
  const Clock::time_point start = Clock::now();
  for (int64_t i = 0; i < repetitions; ++i) run();
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count() /
         static_cast<double>(repetitions);
}

double Time(const Call& call, int64_t repetitions) {
  const double taken = TimeOf(call.run, repetitions);
  return call.overhead ? taken - TimeOf(call.overhead, repetitions) : taken;
}

int64_t Preemptions() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

// Once more, a few times, where something else had the core meanwhile and a turn is short.
double TimeOfTurn(const Runner& runner) {
  const int attempts = runner.slow() ? 1 : 5;
  double least = std::numeric_limits<double>::infinity();
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const int64_t before = Preemptions();
    const double taken = Time(runner.call, runner.repetitions);
    if (Preemptions() == before) return taken;
    least = std::min(least, taken);
  }
  return least;
}

// Twice as many calls until they fill a quarter of a turn: the first ones are slower than the rest.
void Calibrate(Runner& runner, double turn) {
  for (int64_t repetitions = 1;; repetitions *= 2) {
    runner.nanoseconds = TimeOf(runner.call.run, repetitions);
    if (runner.nanoseconds * static_cast<double>(repetitions) >= turn / 4) break;
  }
  runner.repetitions = std::max<int64_t>(1, std::lround(turn / runner.nanoseconds));
}

// What a contestant makes for the cell, its workers among that, begins on the second core; the calls are made
// from the first.
Call Prepare(const Contestant& contestant, const Cell& cell, const Buffers& buffers,
             const MeasureOptions& options) {
  if (!contestant.why_not.empty()) throw Unsupported(contestant.why_not);
  PinTo(cell.threads > 1 ? options.second_core : options.core);
  Call call = contestant.prepare(cell, buffers);
  if (contestant.answers_in_y) {
    CheckAnswer(call, cell, buffers);
  } else {
    call.run();
  }
  return call;
}

std::vector<Runner> PrepareAll(const Contestants& contestants, const Cell& cell, const Buffers& buffers,
                               const MeasureOptions& options, std::vector<Times>& times) {
  std::vector<Runner> runners;
  for (size_t i = 0; i < contestants.size(); ++i) {
    try {
      Runner runner{i, Prepare(contestants[i], cell, buffers, options)};
      PinTo(options.core);  // Prepare may leave it on the other
      Calibrate(runner, options.turn_nanoseconds);
      runners.push_back(std::move(runner));
    } catch (const std::exception& error) {
      times[i].why_not = error.what();
    }
    PinTo(options.core);
  }
  return runners;
}

}  // namespace

std::vector<Times> Measure(const Contestants& contestants, const Cell& cell, const Buffers& buffers,
                           const MeasureOptions& options) {
  std::vector<Times> times(contestants.size());
  std::vector<Runner> runners = PrepareAll(contestants, cell, buffers, options, times);
  std::mt19937 engine(1607);
  for (int round = 0; round < options.rounds; ++round) {
    // Not in turn: whoever always came after the same contestant would inherit its caches and its clock.
    std::shuffle(runners.begin(), runners.end(), engine);
    for (const Runner& runner : runners) {
      if (runner.slow() && round >= kRoundsOfSlow) continue;
      if (cell.threads > 1) AwaitOtherThreads();
      if (!runner.slow())
        runner.call.run();  // brings the caches and predictors over from the contestant before
      times[runner.contestant].rounds.push_back(TimeOfTurn(runner));
    }
  }
  return times;
}

double Median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double MedianRatio(const Times& times, const Times& base) {
  std::vector<double> ratios;
  for (size_t i = 0; i < std::min(times.rounds.size(), base.rounds.size()); ++i) {
    ratios.push_back(times.rounds[i] / base.rounds[i]);
  }
  return Median(std::move(ratios));
}

}  // namespace normd::bench
