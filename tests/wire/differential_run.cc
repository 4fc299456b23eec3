// SPDX-License-Identifier: Apache-2.0
#include "differential_run.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "cut.h"
#include "differential.h"
#include "message_maker.h"

namespace normd {

DifferentialResult RunDifferential(int64_t messages, uint64_t seed) {
  MessageMaker maker(seed);
  Differential differential;
  DifferentialResult result;
  for (int64_t i = 0; i < messages; ++i) {
    const size_t type = maker.random()->Below(Differential::kTypes);
    const std::string bytes = maker.Make(Differential::Types()[type]);
    const CutMessage cut = CutAtRandom(bytes, maker.random());
    const Verdict verdict = differential.Compare(type, bytes, cut.slices());
    ++(verdict.accepted ? result.accepted : result.rejected);
    if (verdict.difference.empty()) continue;
    result.difference =
        absl::StrCat("message ", i, " of seed ", seed, ", a ", Differential::Types()[type]->name(),
                     " of the bytes ", absl::BytesToHexString(bytes), ": ", verdict.difference);
    break;
  }
  return result;
}

}  // namespace normd
