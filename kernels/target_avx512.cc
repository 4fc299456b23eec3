// SPDX-License-Identifier: Apache-2.0
#include "avx512_lanes.h"
#include "norm_kernel.h"

namespace normd {

const Kernels* Avx512Kernels() noexcept {
  static constexpr Kernels kKernels = KernelsOver<Avx512Lanes>();
  return &kKernels;
}

}  // namespace normd
