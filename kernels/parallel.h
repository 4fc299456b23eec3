// SPDX-License-Identifier: Apache-2.0
//
// The rows of one call in parts, one to a oneTBB task. A row is never split, so no bit depends on it.

#ifndef NORMD_PARALLEL_H_
#define NORMD_PARALLEL_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "kernels.h"

namespace normd {

// How many parts a call that moves `bytes` is worth: at most `tasks`, and 1 where it is small.
int PartsOf(int64_t bytes, int64_t rows, int tasks);

// Calls `run` with each part, in the calling thread's arena, and returns when all have returned.
void RunParts(const NormCall& call, int parts, absl::FunctionRef<void(const NormCall&)> run);

}  // namespace normd

#endif  // NORMD_PARALLEL_H_
