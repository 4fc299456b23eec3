// SPDX-License-Identifier: Apache-2.0
#include "conditions.h"

#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "absl/strings/str_format.h"
#include "machine.h"

namespace normd::bench {
namespace {

double Share(int64_t part, int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

}  // namespace

ProcessorTimes ProcessorTimes::Now() {
  std::ifstream file("/proc/stat");
  std::string name;
  int64_t user = 0, nice = 0, system = 0, idle = 0, wait = 0, interrupts = 0, soft = 0, stolen = 0;
  file >> name >> user >> nice >> system >> idle >> wait >> interrupts >> soft >> stolen;
  const int64_t busy = user + nice + system + interrupts + soft;
  return {busy, stolen, busy + idle + wait + stolen};
}

Conditions LookAround() {
  Conditions conditions;
  if (getloadavg(&conditions.load_average, 1) != 1) conditions.load_average = 0;
  const ProcessorTimes before = ProcessorTimes::Now();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const ProcessorTimes after = ProcessorTimes::Now();
  conditions.others_share =
      Share(after.busy + after.stolen - before.busy - before.stolen, after.total - before.total);
  conditions.gigahertz_before = MeasureGigahertz();
  return conditions;
}

void LookBack(const ProcessorTimes& start, Conditions& conditions) {
  const ProcessorTimes now = ProcessorTimes::Now();
  conditions.stolen_share = Share(now.stolen - start.stolen, now.total - start.total);
  conditions.gigahertz_after = MeasureGigahertz();
}

std::vector<std::string> Conditions::Warnings() const {
  std::vector<std::string> warnings;
  if (load_average > 0.5) warnings.push_back(absl::StrFormat("the load average was %.2f", load_average));
  if (others_share > 0.1)
    warnings.push_back(absl::StrFormat("others had %.0f %% of the processors' time", 100 * others_share));
  if (stolen_share > 0.01)
    warnings.push_back(absl::StrFormat("the host took %.0f %% of it away", 100 * stolen_share));
  if (std::fabs(gigahertz_after / gigahertz_before - 1) > 0.05)
    warnings.push_back(
        absl::StrFormat("the clock went from %.2f to %.2f GHz", gigahertz_before, gigahertz_after));
  return warnings;
}

std::string Kernel() {
  utsname name{};
  uname(&name);
  return std::string(name.sysname) + " " + name.release;
}

}  // namespace normd::bench
