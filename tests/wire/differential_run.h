// SPDX-License-Identifier: Apache-2.0
//
// Many random messages through both parsers.

#ifndef NORMD_TESTS_WIRE_DIFFERENTIAL_RUN_H_
#define NORMD_TESTS_WIRE_DIFFERENTIAL_RUN_H_

#include <cstdint>
#include <string>

namespace normd {

struct DifferentialResult {
  int64_t accepted = 0;
  int64_t rejected = 0;
  std::string difference;  // the first one, with the message's bytes; the run ends there
};

DifferentialResult RunDifferential(int64_t messages, uint64_t seed);

}  // namespace normd

#endif  // NORMD_TESTS_WIRE_DIFFERENTIAL_RUN_H_
