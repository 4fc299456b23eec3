// SPDX-License-Identifier: Apache-2.0
#include "process_stats.h"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace normd {
namespace {

// When this object was made, which is before main.
const std::chrono::system_clock::time_point kStart = std::chrono::system_clock::now();

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

void ReadMemory(ProcessStats* stats) {
  const int64_t page = sysconf(_SC_PAGESIZE);
  int64_t virtual_pages = 0;
  int64_t resident_pages = 0;
  if (!(std::ifstream("/proc/self/statm") >> virtual_pages >> resident_pages)) return;
  stats->virtual_bytes = virtual_pages * page;
  stats->resident_bytes = resident_pages * page;
}

void ReadFiles(ProcessStats* stats) {
  std::error_code error;
  const std::filesystem::directory_iterator files("/proc/self/fd", error);
  if (!error) stats->open_files = std::distance(begin(files), end(files));
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) stats->max_files = static_cast<int64_t>(limit.rlim_cur);
}

}  // namespace

ProcessStats ReadProcessStats() {
  ProcessStats stats;
  stats.start_time_seconds = std::chrono::duration<double>(kStart.time_since_epoch()).count();
  rusage usage = {};
  if (getrusage(RUSAGE_SELF, &usage) == 0)
    stats.cpu_seconds = Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
  ReadMemory(&stats);
  ReadFiles(&stats);
  return stats;
}

}  // namespace normd
