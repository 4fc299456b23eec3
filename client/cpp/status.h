// SPDX-License-Identifier: Apache-2.0
//
// The one place where gRPC's status becomes abseil's. Codes have the same numbers and keep their texts.

#ifndef NORMD_CLIENT_STATUS_H_
#define NORMD_CLIENT_STATUS_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace normd {

inline absl::Status FromGrpc(const grpc::Status& status) {
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

}  // namespace normd

#endif  // NORMD_CLIENT_STATUS_H_
