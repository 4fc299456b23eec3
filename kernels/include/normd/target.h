// SPDX-License-Identifier: Apache-2.0
//
// The instruction sets that the kernels are built for, and which of them runs.
//
// Every target gives the same bits; they differ in speed alone.

#ifndef NORMD_TARGET_H_
#define NORMD_TARGET_H_

#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace normd {

struct Kernels;  // The functions of one target; private to the library.

struct Target {
  std::string_view name;         // "avx512", "avx2", "neon" or "scalar"
  bool (*runs_here)() noexcept;  // whether this CPU, and its operating system, can run it
  const Kernels* (*kernels)() noexcept;
};

// Every target of this build, best first; "scalar" is the last one and runs everywhere.
std::span<const Target> AllTargets() noexcept;

// The best target this CPU runs, or the one named by `wish` where that is not empty.
// Errors: InvalidArgument that lists what this CPU offers, where it does not offer `wish`.
absl::StatusOr<const Target*> SelectTarget(std::string_view wish);

// SelectTarget of the environment variable NORMD_TARGET, made once for the process.
absl::StatusOr<const Target*> DefaultTarget();

// The names of the targets this CPU runs, best first, as "avx512, avx2, scalar".
std::string TargetsOfThisCpu();

}  // namespace normd

#endif  // NORMD_TARGET_H_
