// SPDX-License-Identifier: Apache-2.0
#include "cpus.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace normd {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> WordsOf(const fs::path& file) {
  std::ifstream in(file);
  std::vector<std::string> words;
  for (std::string word; words.size() < 2 && in >> word;) words.push_back(word);
  return words;
}

// What may be used of the CPUs by one folder's files: 0 where they set no limit, or are not there.
double QuotaOverPeriod(const std::vector<std::string>& quota, const std::vector<std::string>& period) {
  double numerator = 0;
  double denominator = 0;
  if (quota.empty() || period.empty()) return 0;
  if (!absl::SimpleAtod(quota.front(), &numerator) || !absl::SimpleAtod(period.back(), &denominator))
    return 0;
  return numerator > 0 && denominator > 0 ? numerator / denominator : 0;
}

// Version 2 has both in one file, "max 100000" or "150000 100000"; version 1 has -1 for none.
double QuotaOf(const fs::path& folder) {
  const std::vector<std::string> max = WordsOf(folder / "cpu.max");
  if (max.size() == 2) return QuotaOverPeriod(max, max);
  return QuotaOverPeriod(WordsOf(folder / "cpu.cfs_quota_us"), WordsOf(folder / "cpu.cfs_period_us"));
}

double Least(double a, double b) { return a == 0 || (b > 0 && b < a) ? b : a; }

// Of `group` and each one above it: the tightest quota counts. In a container the path can be one of the
// host's, which is not there; then the top is what is left.
double TightestQuota(const fs::path& mount, const std::string& group) {
  double tightest = QuotaOf(mount);
  fs::path folder = mount;
  for (const fs::path& part : fs::path(group).relative_path()) {
    folder /= part;
    tightest = Least(tightest, QuotaOf(folder));
  }
  return tightest;
}

bool HasCpu(const std::string& controllers) {
  const std::vector<std::string> all = absl::StrSplit(controllers, ',');
  return std::ranges::find(all, "cpu") != all.end();
}

}  // namespace

int CgroupCpus(const std::string& root) {
  std::ifstream groups(root + "/proc/self/cgroup");
  double tightest = 0;
  for (std::string line; std::getline(groups, line);) {
    const std::vector<std::string> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 2));  // number:controllers:path
    if (parts.size() != 3) continue;
    if (parts[0] == "0") tightest = Least(tightest, TightestQuota(root + "/sys/fs/cgroup", parts[2]));
    if (HasCpu(parts[1])) tightest = Least(tightest, TightestQuota(root + "/sys/fs/cgroup/cpu", parts[2]));
  }
  return static_cast<int>(std::ceil(std::min(tightest, 1e6)));
}

int UsableCpus(const std::string& root) {
  cpu_set_t set;
  CPU_ZERO(&set);
  const int affinity = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
  const int quota = CgroupCpus(root);
  return std::max(1, quota > 0 ? std::min(affinity, quota) : affinity);
}

}  // namespace normd
