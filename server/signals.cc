// SPDX-License-Identifier: Apache-2.0
#include "signals.h"

#include <unistd.h>

#include <csignal>
#include <thread>

namespace normd {
namespace {

sigset_t StopSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

int WaitForOne() {
  const sigset_t set = StopSignals();
  int signal = 0;
  while (sigwait(&set, &signal) != 0) {
  }
  return signal;
}

}  // namespace

void HoldStopSignals() {
  const sigset_t set = StopSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

void WaitForStop() {
  WaitForOne();
  std::thread([] { _exit(128 + WaitForOne()); }).detach();
}

}  // namespace normd
