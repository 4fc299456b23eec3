// SPDX-License-Identifier: Apache-2.0
//
// Operands in memory as a caller may have them: at any address, rows apart, with canaries wherever nothing
// may be written.

#ifndef NORMD_VERIFY_PLACED_H_
#define NORMD_VERIFY_PLACED_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "data_types.h"
#include "normd/target.h"
#include "trial.h"

namespace normd {

// Rows of one operand.
class PlacedRows {
 public:
  // `values` may be empty for an output, whose rows are canaries then.
  PlacedRows(DataType data_type, int64_t rows, int64_t hidden, Spot spot, std::span<const float> values);
  std::byte* data() { return memory_.data() + begin_; }
  int64_t stride() const { return stride_; }  // in values
  std::vector<uint32_t> Stored() const;
  bool Unchanged() const { return memory_ == before_; }
  // Whether each byte outside the rows is as it was.
  bool UnchangedOutside() const;

 private:
  size_t RowBegin(int64_t row) const;
  size_t row_bytes() const;
  bool SamePart(size_t begin, size_t end) const;

  DataType data_type_;
  int64_t rows_;
  int64_t hidden_;
  int64_t stride_;
  std::vector<std::byte> memory_;
  std::vector<std::byte> before_;
  size_t begin_ = 0;  // of the first row
};

// All operands of a trial, ready to run.
class PlacedOperands {
 public:
  PlacedOperands(const Trial& trial, const Layout& layout);

  NormOperands View();
  Bits Outputs();
  // Errors: Internal that says where something was written that is no output.
  absl::Status CheckOnlyOutputsWritten();

 private:
  PlacedRows& y() { return At(layout_.y_place, y_); }
  PlacedRows& residual_sum() { return At(layout_.sum_place, sum_); }
  PlacedRows& At(Place place, PlacedRows& own);
  bool WrittenAt(Place place) const;

  const Trial& trial_;
  const Layout& layout_;
  PlacedRows x_;
  PlacedRows residual_;
  PlacedRows y_;
  PlacedRows sum_;
  std::vector<float> mean_;  // one canary more than rows, as rstd_
  std::vector<float> rstd_;
};

// Runs the trial. Errors: those of Norm, and Internal where a byte was written outside the outputs: between
// rows and around them lie canaries, and inputs are held against what they were.
absl::StatusOr<Bits> RunTrial(const Target& target, const Trial& trial, const Layout& layout = {});

}  // namespace normd

#endif  // NORMD_VERIFY_PLACED_H_
