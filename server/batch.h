// SPDX-License-Identifier: Apache-2.0
//
// What a NormalizeRequest asks for, checked.

#ifndef NORMD_SERVER_BATCH_H_
#define NORMD_SERVER_BATCH_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "layer_registry.h"
#include "normd/norm.h"
#include "wire/normalize_request.h"

namespace normd {

inline constexpr int64_t kMaxRequestIdBytes = 1024;

// The rows of one request and where they lie.
struct Batch {
  int64_t hidden = 0;
  int64_t rows = 0;
  std::vector<int64_t> token_counts;  // one entry at least
  DataType data_type = DataType::kFloat32;
  bool typed = false;  // the tokens came as values, and go back so
  bool has_residual = false;
  bool wants_normalized = false;
  bool wants_mean = false;
  bool wants_rstd = false;
  bool wants_residual_sum = false;

  int64_t row_bytes() const { return hidden * BytesOf(data_type); }
  int64_t values() const { return rows * hidden; }
};

// The norm that `request` names or carries, for rows of the hidden that both agree on. It views `request` and
// `layers`. Errors: NotFound for a layer that is not there, InvalidArgument otherwise.
absl::StatusOr<Norm> FindNorm(const wire::NormalizeRequest& request, const LayerRegistry& layers);

// Checks the payloads against the shape and the outputs against the kind, and fills `batch`, whose memory is
// used again. Errors: InvalidArgument that names expected and got.
absl::Status ReadBatch(const wire::NormalizeRequest& request, const Norm& norm, Batch* batch);

}  // namespace normd

#endif  // NORMD_SERVER_BATCH_H_
