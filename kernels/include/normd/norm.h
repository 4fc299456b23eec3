// SPDX-License-Identifier: Apache-2.0
//
// Normalization of token rows. A row x is one token's `hidden` values; with v the values that are normalized
// (x, or x + residual rounded to the data type):
//
//   layer_norm  y[i] = gamma[i] * (v[i] - mean) * rstd + beta[i]
//               mean = sum(v) / hidden;  rstd = 1 / sqrt(sum((v - mean)^2) / hidden + epsilon)
//   rms_norm    y[i] = (gamma_offset + gamma[i]) * v[i] * rstd;  rstd = 1 / sqrt(sum(v^2) / hidden + epsilon)
//   batch_norm  y[i] = gamma[i] * (v[i] - running_mean[i]) / sqrt(running_var[i] + epsilon) + beta[i]
//
// after Ba, Kiros and Hinton (arXiv:1607.06450), Zhang and Sennrich (arXiv:1910.07467), Ioffe and Szegedy
// (arXiv:1502.03167; inference).
//
// Accuracy:  for every finite row, with xhat the row before gamma and beta,
//            |y[i] - exact| <= 8 * 2^-23 * |gamma[i]| * max_j |xhat[j]| + 1 ULP of y[i]
//            + 2^-149 * max(1, |gamma[i]|) in float32;
//            float16 and bfloat16 answers are that, rounded once more.
//
// Bits:      the same on every target, at any batch size, row position, alignment and number of tasks, fused
//            or in two steps, and under any rounding mode or flush-to-zero of the caller's, whose own setting
//            is kept.
//
// Bad rows:  a row with NaN or infinity in x or residual is NaN (0x7FC00000, or 0x7E00 and 0x7FC0) in each
//            element of y, in mean and in rstd; no other row is touched. residual_sum is what IEEE says, with
//            that NaN.
//
// Constant:  a row of equal values is exactly beta under layer_norm, also with epsilon 0.

#ifndef NORMD_NORM_H_
#define NORMD_NORM_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "normd/target.h"
#include "normd/types.h"

namespace normd {

enum class Formula : int;  // private to the library, as NormCall is
struct NormCall;

// Rises whenever any output bit changes: two builds with the same number give the same bits.
inline constexpr int kNumericsRevision = 2;

struct NormParameters {
  NormKind kind = NormKind::kLayerNorm;
  int64_t hidden = 0;                        // values a row, at least 1
  std::span<const float> gamma = {};         // [hidden], or empty for 1
  std::span<const float> beta = {};          // [hidden], or empty for 0; not with rms_norm
  double epsilon = 1e-5;                     // finite and not negative; rounded once to float32
  float gamma_offset = 0;                    // finite; rms_norm alone (1 for Gemma's layers)
  std::span<const float> running_mean = {};  // [hidden]; batch_norm alone, which needs it
  std::span<const float> running_var = {};   // [hidden], not negative; batch_norm alone, which needs it
};

struct NormOptions {
  const Target* target = nullptr;  // null: DefaultTarget()
  // The most parts the rows of one call are split into, run by oneTBB in the caller's arena; 1: none but the
  // calling thread. Small calls are not split.
  int tasks = 1;
  // Calls that read and write more bytes than this store past the caches. Absent: the size of the last-level
  // cache (normd/machine.h), and no more than 32 MiB.
  std::optional<int64_t> streaming_bytes = {};
};

// Rows of the call's data type, at an address of any alignment, odd ones among them. They lie `stride` values
// apart; 0 stands for hidden.
struct InputRows {
  const void* data = nullptr;
  int64_t stride = 0;
};
struct OutputRows {
  void* data = nullptr;
  int64_t stride = 0;
};

// The rows of one call. y and residual_sum may each be exactly x or exactly residual; any other overlap of
// what is written with anything else is refused.
struct NormOperands {
  int64_t rows = 0;
  DataType data_type = DataType::kFloat32;
  InputRows x = {};
  InputRows residual = {};  // added to x before the norm; or absent
  OutputRows y = {};
  OutputRows residual_sum = {};  // x + residual, the updated stream of a Pre-LN block; or absent
  float* mean = nullptr;         // [rows], or absent; layer_norm alone
  float* rstd = nullptr;         // [rows], or absent; not with batch_norm
  // [rows]: statistics to be used instead of the rows' own, both for layer_norm, rstd alone for rms_norm.
  const float* given_mean = nullptr;
  const float* given_rstd = nullptr;
};

// One layer, ready to run: its parameters are checked here, once, and each call then pays only for its rows.
// It views the parameters' arrays, which must outlive it. Copies are cheap. Any number of threads may run it
// at once.
class Norm {
 public:
  // Errors: InvalidArgument that names expected and got, for a hidden below 1, a parameter of another length,
  // or one that the kind does not take or lacks, a running_var that is negative or NaN, an epsilon or
  // gamma_offset that is not finite or an epsilon below 0, tasks below 1, and where no target is given the
  // errors of DefaultTarget.
  static absl::StatusOr<Norm> Create(const NormParameters& parameters, const NormOptions& options = {});

  // Normalizes the rows. Allocates nothing.
  // Errors: InvalidArgument, before anything is written, for a negative number of rows, a stride below
  // hidden, sizes that overflow, a missing address, operands that the kind does not have, or that overlap.
  absl::Status Run(const NormOperands& operands) const;

  int64_t hidden() const { return plan_.hidden; }
  NormKind kind() const { return plan_.kind; }

 private:
  struct Owned;  // arrays that Create had to make: gamma_offset + gamma, scales of batch_norm

  // What Create settled.
  struct Plan {
    NormKind kind;
    int64_t hidden;
    double inverse_hidden;
    int64_t most_plain_rows;  // with which no size overflows
    float epsilon;
    const float* gamma;
    const float* beta;
    const float* feature_mean;
    const float* feature_var;
    const float* feature_scale;
    bool finite;  // gamma and beta
    bool wide;    // the scales of batch_norm need double
    const Kernels* kernels;
    int tasks;
    int64_t streaming_bytes;
    int64_t far_bytes;
    std::shared_ptr<const Owned> owned;
  };

  explicit Norm(Plan plan) : plan_(std::move(plan)) {}
  static absl::StatusOr<Plan> Prepare(const NormParameters& parameters, const NormOptions& options);
  static void OwnArrays(const NormParameters& parameters, Plan& plan);
  void RunPart(Formula formula, DataType data_type, const NormCall& part) const;

  Plan plan_;
};

}  // namespace normd

#endif  // NORMD_NORM_H_
