// SPDX-License-Identifier: Apache-2.0
//
// The slow way for the few rows whose squares leave the range of float.

#ifndef NORMD_RESCUE_H_
#define NORMD_RESCUE_H_

#include <cstdint>

#include "kernels.h"

namespace normd {

// Computes row `row` of `call` in double throughout: shifted by its first element, two passes, one rounding
// at the end. A row with NaN or infinity becomes the canonical NaN. Every target calls this one function of
// the baseline translation unit, so that a rescued row has the same bits everywhere.
void RescueLayerNormRow(const LayerNormCall& call, int64_t row) noexcept;

// Writes every NaN in the rows of `call.y` as 0x7FC00000: needed where gamma or beta is not finite, since the
// sign of the NaN that arithmetic makes differs between x86 and Arm.
void CanonicalizeNans(const LayerNormCall& call) noexcept;

}  // namespace normd

#endif  // NORMD_RESCUE_H_
