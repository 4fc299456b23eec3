// SPDX-License-Identifier: Apache-2.0
//
// Whether the targets are right on the machine this runs on.

#ifndef NORMD_VERIFY_VERIFICATION_H_
#define NORMD_VERIFY_VERIFICATION_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "normd/target.h"

namespace normd {

struct Verdict {
  const Target* target = nullptr;
  int64_t hashes = 0;  // of golden.json
  int64_t hashes_equal = 0;
  int64_t rows = 0;              // held against the exact reference
  double worst_row_ulp = 0;      // of them, by ContractRowUlp
  std::string first_fault = {};  // empty: none

  bool ok() const { return first_fault.empty(); }
};

// Each kind, data type, residual and width of golden.json, at plain and at odd places; and rows of every kind
// against the exact reference. One verdict a target, in their order; seconds of work.
std::vector<Verdict> VerifyTargets(std::span<const Target* const> targets);

}  // namespace normd

#endif  // NORMD_VERIFY_VERIFICATION_H_
