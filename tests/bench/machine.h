// SPDX-License-Identifier: Apache-2.0
//
// The machine that is measured on: what it is, where this process runs, how fast it runs just now.

#ifndef NORMD_TESTS_BENCH_MACHINE_H_
#define NORMD_TESTS_BENCH_MACHINE_H_

#include <string>
#include <vector>

namespace normd::bench {

std::string CpuModel();

// "L1d 48 KiB, L2 2 MiB, L3 32 MiB", of the given core.
std::string Caches(int core);

// The cores that this process may run on.
std::vector<int> AllowedCores();

// Keeps the calling thread, and the threads it makes from now on, on one core.
void PinTo(int core);

// Returns when no other thread of this process is running, or after 50 ms: the workers of most OpenMP
// runtimes spin for 10 ms and more after a call, on the core that the next contestant wants.
void AwaitOtherThreads();

// Dependent additions of this core a nanosecond, which is its clock in GHz, over some 2 ms.
double MeasureGigahertz();

}  // namespace normd::bench

#endif  // NORMD_TESTS_BENCH_MACHINE_H_
