// SPDX-License-Identifier: Apache-2.0
#include "kernels.h"
#include "lanes.h"
#include "layer_norm_kernel.h"

namespace normd {

const Kernels* NeonKernels() noexcept {
  static constexpr Kernels kKernels = {LayerNormOver<Lanes<xsimd::neon64>>};
  return &kKernels;
}

}  // namespace normd
