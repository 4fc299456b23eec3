// SPDX-License-Identifier: Apache-2.0
#include "kernels.h"
#include "lanes.h"
#include "layer_norm_kernel.h"

namespace normd {

const Kernels* Avx2Kernels() noexcept {
  static constexpr Kernels kKernels = {LayerNormOver<Lanes<xsimd::avx2>>};
  return &kKernels;
}

}  // namespace normd
