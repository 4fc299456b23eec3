// SPDX-License-Identifier: Apache-2.0
#include "bench/loop.h"

#include <algorithm>
#include <string>

namespace normd {
namespace {

void Count(const absl::Status& status, Tally& tally) {
  ++tally.errors[status.code()];
  tally.first_error.try_emplace(status.code(), std::string(status.message().substr(0, 300)));
}

}  // namespace

bool Extent::Reached(uint64_t calls_begun, uint64_t elapsed) const {
  const bool enough_calls = calls && calls_begun >= *calls;
  const bool enough_time = nanoseconds && elapsed >= *nanoseconds;
  return until_both ? enough_calls && enough_time : enough_calls || enough_time;
}

bool Phase::Begin(uint64_t now) {
  const uint64_t begun = calls_.fetch_add(1, std::memory_order_relaxed);
  return !extent_.Reached(begun, now - start_);
}

Tally RunClosedLoop(const Pace& pace, Phase& phase, Clock& clock, const Call& call) {
  Tally tally;
  uint64_t due = clock.Now();
  // Whether a call belongs to the phase is asked before the wait for it, so that no run ends with a wait for
  // nothing.
  while (!clock.Interrupted() && phase.Begin(std::max(clock.Now(), due))) {
    if (pace.interval > 0) clock.SleepUntil(due);
    if (clock.Interrupted()) break;
    Sample sample;
    const uint64_t sent = clock.Now();
    const absl::Status status = call(&sample.timings);
    const uint64_t done = clock.Now();
    sample.latency = done - sent;
    if (status.ok()) {
      tally.samples.push_back(sample);
    } else {
      Count(status, tally);
    }
    // Percentiles of a part of the samples would be those of another population, so the run ends instead.
    tally.full = tally.samples.size() >= pace.max_samples;
    if (tally.full || (pace.until_error && !status.ok())) break;
    due = std::max(due + pace.interval, done);
  }
  return tally;
}

}  // namespace normd
