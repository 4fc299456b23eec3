// SPDX-License-Identifier: Apache-2.0
#include "machine.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace normd::bench {
namespace {

std::string FirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// "49152K" as "48 MiB", "48K" as "48 KiB".
std::string Size(const std::string& kibibytes) {
  const int64_t size = std::atoll(kibibytes.c_str());
  return size % 1024 == 0 ? std::to_string(size / 1024) + " MiB" : std::to_string(size) + " KiB";
}

// One after the other: each needs the one before. Both operands are registers, because newer cores fold the
// addition of a constant away.
uint64_t DependentAdditions(uint64_t sum, uint64_t step, int64_t hundreds) {
  for (int64_t i = 0; i < hundreds; ++i) {
    for (int k = 0; k < 100; ++k) {
#if defined(__x86_64__)
      asm volatile("add %1, %0" : "+r"(sum) : "r"(step));
#elif defined(__aarch64__)
      asm volatile("add %0, %0, %1" : "+r"(sum) : "r"(step));
#endif
    }
  }
  return sum;
}

// The state of one thread is the letter after its name, which is in parentheses.
bool Runs(const std::filesystem::path& thread) {
  const std::string line = FirstLine(thread / "stat");
  const size_t end = line.rfind(')');
  return end != std::string::npos && end + 2 < line.size() && line[end + 2] == 'R';
}

int RunningThreads() {
  const std::filesystem::directory_iterator threads("/proc/self/task");
  return static_cast<int>(
      std::count_if(begin(threads), end(threads), [](const auto& entry) { return Runs(entry.path()); }));
}

}  // namespace

std::string CpuModel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

std::string Caches(int core) {
  const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(core) + "/cache/index";
  std::string caches;
  for (int index = 0;; ++index) {
    const std::string entry = folder + std::to_string(index);
    const std::string type = FirstLine(entry + "/type");
    if (type.empty()) return caches.empty() ? "unknown" : caches;
    if (type == "Instruction") continue;
    caches += (caches.empty() ? "L" : ", L") + FirstLine(entry + "/level") + (type == "Data" ? "d " : " ") +
              Size(FirstLine(entry + "/size"));
  }
}

std::vector<int> AllowedCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof(set), &set);
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

void PinTo(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  if (sched_setaffinity(0, sizeof(set), &set) != 0) {
    throw std::runtime_error("this process may not run on core " + std::to_string(core));
  }
}

void AwaitOtherThreads() {
  for (int tries = 0; tries < 250 && RunningThreads() > 1; ++tries) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

double MeasureGigahertz() {
  using Clock = std::chrono::steady_clock;
  constexpr int64_t kHundreds = 20000;
  double best = 0;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const Clock::time_point start = Clock::now();
    [[maybe_unused]] volatile uint64_t kept = DependentAdditions(1, static_cast<uint64_t>(repeat), kHundreds);
    const double nanoseconds = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    best = std::max(best, kHundreds * 100 / nanoseconds);
  }
  return best;
}

}  // namespace normd::bench
