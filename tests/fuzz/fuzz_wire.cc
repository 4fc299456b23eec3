// SPDX-License-Identifier: Apache-2.0
//
// The wire readers against protobuf's parser: any bytes, cut anywhere.

#include <fuzzer/FuzzedDataProvider.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "cut.h"
#include "differential.h"

// The last bytes of the input say which message it is and where it is cut; the message is what stands before
// them.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static normd::Differential differential;
  FuzzedDataProvider input(data, size);
  const auto type = input.ConsumeIntegralInRange<size_t>(0, normd::Differential::kTypes - 1);
  std::vector<size_t> lengths(input.ConsumeIntegralInRange<size_t>(0, 7));
  for (size_t& length : lengths) length = input.ConsumeIntegralInRange<size_t>(0, 31);
  const std::string bytes = input.ConsumeRemainingBytesAsString();

  const normd::CutMessage cut(bytes, lengths);
  const normd::Verdict verdict = differential.Compare(type, bytes, cut.slices());
  if (verdict.difference.empty()) return 0;
  std::fprintf(stderr, "%s\n", verdict.difference.c_str());
  std::abort();
}
