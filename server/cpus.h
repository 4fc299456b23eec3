// SPDX-License-Identifier: Apache-2.0
#ifndef NORMD_SERVER_CPUS_H_
#define NORMD_SERVER_CPUS_H_

#include <string>

namespace normd {

// CPUs that this process may keep busy: those of its affinity, or the quota of its cgroup, of version 1 or 2,
// or of one above it, where that is less; a part of a CPU counts as one. `root` is put before /proc and /sys.
int UsableCpus(const std::string& root = "");

// The quota alone, rounded up; 0 where there is none.
int CgroupCpus(const std::string& root = "");

}  // namespace normd

#endif  // NORMD_SERVER_CPUS_H_
