// SPDX-License-Identifier: Apache-2.0
//
// The whole dispatch: a table, best first.

#include <cstdlib>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "kernels.h"
#include "normd/target.h"

namespace normd {

// One for each target file, and all that such a file exports.
const Kernels* Avx512Bf16Kernels() noexcept;
const Kernels* Avx512Kernels() noexcept;
const Kernels* Avx2Kernels() noexcept;
const Kernels* NeonKernels() noexcept;
const Kernels* ScalarKernels() noexcept;

namespace {

[[maybe_unused]] bool Always() noexcept { return true; }

#if defined(__x86_64__)
// These ask the operating system, too, whether it keeps the registers.
bool HasAvx512() noexcept {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
}
bool HasAvx512Bf16() noexcept { return HasAvx512() && __builtin_cpu_supports("avx512bf16"); }
// Each CPU that has AVX2 converts from and to float16 as well (F16C), and not each compiler knows its name.
bool HasAvx2() noexcept { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#endif

constexpr Target kTargets[] = {
#if defined(__x86_64__)
    {"avx512_bf16", HasAvx512Bf16, Avx512Bf16Kernels},
    {"avx512", HasAvx512, Avx512Kernels},
    {"avx2", HasAvx2, Avx2Kernels},
#elif defined(__aarch64__)
    {"neon", Always, NeonKernels},
#endif
    {"scalar", Always, ScalarKernels},
};

// A wish comes from a command line or the environment: show what it was, but not all of anything.
std::string Quoted(std::string_view wish) {
  return absl::StrCat("\"", absl::CHexEscape(std::string(wish.substr(0, 64))), "\"");
}

}  // namespace

std::span<const Target> AllTargets() noexcept { return kTargets; }

absl::StatusOr<const Target*> SelectTarget(std::string_view wish) {
  for (const Target& target : kTargets) {
    if ((wish.empty() || target.name == wish) && target.runs_here()) return &target;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("expected a target that this CPU offers (", TargetsOfThisCpu(), "), got ", Quoted(wish)));
}

absl::StatusOr<const Target*> DefaultTarget() {
  static const absl::StatusOr<const Target*> chosen = [] {
    const char* wish = std::getenv("NORMD_TARGET");
    return SelectTarget(wish == nullptr ? "" : wish);
  }();
  return chosen;
}

std::string TargetsOfThisCpu() {
  std::string names;
  for (const Target& target : kTargets) {
    if (target.runs_here()) names.append(names.empty() ? "" : ", ").append(target.name);
  }
  return names;
}

}  // namespace normd
