// SPDX-License-Identifier: Apache-2.0
//
// The handler of Normalize: reads a request where it lies, computes, and writes the answer. It knows no
// transport.

#ifndef NORMD_SERVER_NORMALIZE_H_
#define NORMD_SERVER_NORMALIZE_H_

#include <vector>

#include "absl/status/status.h"
#include "batch.h"
#include "call.h"
#include "layer_registry.h"
#include "wire/normalize_request.h"
#include "wire/normalize_response.h"

namespace normd {

// How an answer is framed: by itself, or as an element of a stream, where an error is an answer as well.
enum class Framing { kUnary, kStream };

// Handles one request after another; what it allocates is used again by the next. Not for two threads at
// once.
class NormalizeHandler {
 public:
  explicit NormalizeHandler(const LayerRegistry* layers) : layers_(layers) {}

  // Fills `answer`, or says why not; in a stream the reason is the answer, and what comes back is OK.
  // Errors: those of normd.v1.Normalizer.Normalize.
  absl::Status Handle(const Call& call, Framing framing, Answer* answer);

 private:
  absl::Status Compute(const Call& call, Answer* answer);
  absl::Status ComputeRows(const Call& call, const Norm& norm, std::byte* y);
  absl::Status RunRows(const Norm& norm, const void* x, int64_t first, int64_t rows, std::byte* y);
  void WriteHead(const Call& call, Framing framing, Answer* answer);

  const LayerRegistry* layers_;
  wire::NormalizeRequest request_;
  Batch batch_;
  wire::Timings timings_;
  std::vector<float> mean_;
  std::vector<float> rstd_;
  std::vector<std::byte> straddling_;  // a row that lies in more than one slice
  std::vector<std::byte> discarded_;   // normalized rows that nobody asked for
};

}  // namespace normd

#endif  // NORMD_SERVER_NORMALIZE_H_
