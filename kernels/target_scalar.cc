// SPDX-License-Identifier: Apache-2.0
#include "norm_kernel.h"
#include "scalar_lanes.h"

namespace normd {

const Kernels* ScalarKernels() noexcept {
  static constexpr Kernels kKernels = KernelsOver<ScalarLanes>();
  return &kKernels;
}

}  // namespace normd
