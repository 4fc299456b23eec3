// SPDX-License-Identifier: Apache-2.0
//
// The handler of Normalize: reads a request where it lies, computes, and writes the answer. It knows no
// transport.

#ifndef NORMD_SERVER_NORMALIZE_H_
#define NORMD_SERVER_NORMALIZE_H_

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "batch.h"
#include "call.h"
#include "layer_registry.h"
#include "payload_rows.h"
#include "wire/normalize_request.h"
#include "wire/normalize_response.h"

namespace normd {

// How an answer is framed: by itself, or as an element of a stream, where an error is an answer as well.
enum class Framing { kUnary, kStream };

// The error as `framing` has it: in a stream as an answer, and what comes back is OK.
absl::Status AnswerError(const absl::Status& status, Framing framing, std::string_view request_id,
                         Answer* answer);

// Handles one request after another; what it allocates is used again by the next. Not for two threads at
// once.
class NormalizeHandler {
 public:
  explicit NormalizeHandler(const LayerRegistry* layers) : layers_(layers) {}

  // Fills `answer`, or says why not; in a stream the reason is the answer, and what comes back is OK.
  // Errors: those of normd.v1.Normalizer.Normalize.
  absl::Status Handle(const Call& call, Framing framing, Answer* answer);

  // What became of the request that was handled last: of a stream's as well, whose errors are answers.
  const absl::Status& status() const { return status_; }
  int64_t rows() const { return status_.ok() ? batch_.rows : 0; }
  std::string_view request_id() const { return request_.request_id; }  // as it came, of any length

 private:
  // Where the rows of an operand lie.
  struct Source {
    wire::Slices slices;
    wire::ByteRange range;
  };
  // Rows that one task computes, one stretch after another.
  struct Part {
    PayloadRows x;
    PayloadRows residual;
  };
  absl::Status Compute(const Call& call, Answer* answer);
  void MakeRoom(Answer* answer);
  void FindRows(const Call& call);
  absl::Status ComputeRows(const Norm& norm, const Call& call);
  absl::Status ComputePart(const Norm& norm, const Call& call, int64_t first, int64_t rows, Part* part);
  // How many rows it was.
  absl::StatusOr<int64_t> ComputeStretch(const Norm& norm, int64_t first, int64_t most_rows, Part* part);
  void WidenAnswer(Answer* answer);
  // The values as bytes of the data type: themselves where that is float32, else in `rounded`.
  std::span<const std::byte> RoundValues(const std::vector<float>& values,
                                         std::vector<std::byte>* rounded) const;
  // Values that are computed in fewer bytes than they came in and go back in.
  bool narrow() const { return batch_.typed && batch_.data_type != DataType::kFloat32; }
  void WriteHead(const Call& call, Framing framing, Answer* answer);

  const LayerRegistry* layers_;
  wire::NormalizeRequest request_;
  Batch batch_;
  absl::Status status_;
  wire::Timings timings_;
  std::vector<float> mean_;
  std::vector<float> rstd_;
  Source x_;
  Source residual_;
  std::vector<Part> parts_;
  std::byte* y_ = nullptr;             // where the rows are written: in the answer, or below
  std::byte* residual_sum_ = nullptr;  // the same
  std::vector<std::byte> y_scratch_;   // rows that nobody asked for, or that go back as values
  std::vector<std::byte> residual_sum_scratch_;
  std::vector<std::byte> rounded_[2];  // values and residual_values
  std::string_view rounded_slices_[2];
};

}  // namespace normd

#endif  // NORMD_SERVER_NORMALIZE_H_
