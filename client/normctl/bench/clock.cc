// SPDX-License-Identifier: Apache-2.0
#include "bench/clock.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>

namespace normd {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

// Sleepers wait on it with a time-out. Waking up now and then to look at the flag would keep an idle machine
// from being idle, which is what `--interval` is there to measure.
int wake_up = -1;

void OnSignal(int signal) {
  const int saved_errno = errno;
  std::signal(signal, SIG_DFL);  // A second one does not wait for the call that is under way.
  interrupted = true;
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_up, &one, sizeof one);
  errno = saved_errno;
}

constexpr uint64_t kSecond = 1'000'000'000;

}  // namespace

SystemClock::SystemClock() {
  interrupted = false;
  wake_up = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  std::signal(SIGINT, OnSignal);
  std::signal(SIGTERM, OnSignal);
}

SystemClock::~SystemClock() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  close(wake_up);
}

uint64_t SystemClock::Now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

void SystemClock::SleepUntil(uint64_t time) {
  for (uint64_t now = Now(); now < time && !interrupted; now = Now()) {
    const timespec left{static_cast<time_t>((time - now) / kSecond),
                        static_cast<decltype(timespec::tv_nsec)>((time - now) % kSecond)};
    pollfd waited{wake_up, POLLIN, 0};
    ppoll(&waited, 1, &left, nullptr);
  }
}

bool SystemClock::Interrupted() { return interrupted; }

}  // namespace normd
