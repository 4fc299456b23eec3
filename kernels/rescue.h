// SPDX-License-Identifier: Apache-2.0
//
// The slow way for the few rows that float cannot do.

#ifndef NORMD_RESCUE_H_
#define NORMD_RESCUE_H_

#include <cstdint>

#include "kernels.h"

namespace normd {

// Computes row `row` of `call` in double throughout: for statistics of its own it is shifted by its first
// element and measured in two passes; one rounding to float ends it. A row with NaN or infinity becomes the
// canonical NaN. Every target calls this one function of the baseline translation unit, so that a rescued row
// has the same bits everywhere. `type` is DataType - 1.
void RescueRow(Formula formula, int type, const NormCall& call, int64_t row) noexcept;

// RescueRow for each row: for parameters that float cannot hold once they are combined.
void RescueRows(Formula formula, int type, const NormCall& call) noexcept;

// Writes every NaN in the rows of `call.y` canonically: needed where gamma or beta is not finite, since the
// sign of the NaN that arithmetic makes differs between x86 and Arm.
void CanonicalizeNans(int type, const NormCall& call) noexcept;

}  // namespace normd

#endif  // NORMD_RESCUE_H_
