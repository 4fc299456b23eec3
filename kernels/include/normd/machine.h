// SPDX-License-Identifier: Apache-2.0
//
// What the kernels ask of the machine they run on.

#ifndef NORMD_MACHINE_H_
#define NORMD_MACHINE_H_

#include <cstdint>
#include <string>

namespace normd {

// Bytes of the last-level cache of the first CPU, by `directory`, or 32 MiB where that does not say. (sysconf
// is not asked: in some virtual machines it answers ten times too much.)
int64_t LastLevelCacheBytes(const std::string& directory = "/sys/devices/system/cpu/cpu0/cache");

// The same of its second-level cache, or 1 MiB.
int64_t SecondLevelCacheBytes(const std::string& directory = "/sys/devices/system/cpu/cpu0/cache");

// What NormOptions.streaming_bytes is where it is not set: the last-level cache, at most 32 MiB.
int64_t DefaultStreamingBytes();

}  // namespace normd

#endif  // NORMD_MACHINE_H_
