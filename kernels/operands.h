// SPDX-License-Identifier: Apache-2.0
//
// The check of a call's operands, once, at the edge.

#ifndef NORMD_OPERANDS_H_
#define NORMD_OPERANDS_H_

#include "absl/status/status.h"
#include "kernels.h"
#include "normd/norm.h"

namespace normd {

// Fills the operands of `call`, whose parameters are set, with strides in bytes.
// Errors: those of Norm::Run.
absl::Status FillOperands(const NormOperands& operands, NormKind kind, NormCall& call);

}  // namespace normd

#endif  // NORMD_OPERANDS_H_
