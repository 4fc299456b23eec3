// SPDX-License-Identifier: Apache-2.0
#ifndef NORMD_SERVER_PROCESS_STATS_H_
#define NORMD_SERVER_PROCESS_STATS_H_

#include <cstdint>

namespace normd {

// What the kernel says of this process. A figure that cannot be read, where /proc is hidden, is 0.
struct ProcessStats {
  double start_time_seconds = 0;  // since the epoch
  double cpu_seconds = 0;         // user and system
  int64_t resident_bytes = 0;
  int64_t virtual_bytes = 0;
  int64_t open_files = 0;
  int64_t max_files = 0;
};

ProcessStats ReadProcessStats();

}  // namespace normd

#endif  // NORMD_SERVER_PROCESS_STATS_H_
