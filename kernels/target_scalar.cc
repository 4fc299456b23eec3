// SPDX-License-Identifier: Apache-2.0
#include "kernels.h"
#include "layer_norm_kernel.h"
#include "scalar_lanes.h"

namespace normd {

const Kernels* ScalarKernels() noexcept {
  static constexpr Kernels kKernels = {LayerNormOver<ScalarLanes>};
  return &kKernels;
}

}  // namespace normd
