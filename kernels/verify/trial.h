// SPDX-License-Identifier: Apache-2.0
//
// One call of a layer, as every target is put to it: its parameters, its rows, the outputs it wants,
// and where all of that lies.

#ifndef NORMD_VERIFY_TRIAL_H_
#define NORMD_VERIFY_TRIAL_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data_types.h"
#include "normd/norm.h"
#include "rows.h"

namespace normd {

// What came out of a call, each value as the bits of its type; empty where it was not wanted.
struct Bits {
  std::vector<uint32_t> y;
  std::vector<uint32_t> residual_sum = {};
  std::vector<uint32_t> mean = {};
  std::vector<uint32_t> rstd = {};
};

// Parameters that own their memory.
struct OwnedParameters {
  std::vector<float> gamma = {};  // empty: absent, as all of these
  std::vector<float> beta = {};
  double epsilon = 1e-5;
  NormKind kind = NormKind::kLayerNorm;
  float gamma_offset = 0;
  std::vector<float> running_mean = {};
  std::vector<float> running_var = {};

  NormParameters View(int64_t hidden) const {
    return {.kind = kind,
            .hidden = hidden,
            .gamma = gamma,
            .beta = beta,
            .epsilon = epsilon,
            .gamma_offset = gamma_offset,
            .running_mean = running_mean,
            .running_var = running_var};
  }
};

// The targets this CPU runs. Tests loop over them, so that a new target is tested without a change here.
std::vector<const Target*> TargetsHere();
const Target& Scalar();

struct Trial {
  OwnedParameters parameters = {};
  DataType data_type = DataType::kFloat32;
  int64_t hidden = 0;
  std::vector<float> x = {};         // values of the data type
  std::vector<float> residual = {};  // empty: absent, as the given statistics
  std::vector<float> given_mean = {};
  std::vector<float> given_rstd = {};
  bool wants_sum = false;
  bool wants_mean = false;
  bool wants_rstd = false;

  int64_t rows() const { return static_cast<int64_t>(x.size()) / hidden; }
};

// What a call may have or lack.
struct Variant {
  NormKind kind = NormKind::kLayerNorm;
  DataType data_type = DataType::kFloat32;
  bool gamma = false;
  bool beta = false;
  bool offset = false;
  bool residual = false;
  bool sum = false;
  bool mean = false;
  bool rstd = false;
  bool given = false;
};

// Every combination that normd/norm.h allows, of one kind and type or of all.
std::vector<Variant> VariantsOf(NormKind kind, DataType data_type);
std::vector<Variant> EveryVariant();
// With everything that the kind may have but given statistics.
Variant FullVariant(NormKind kind, DataType data_type);
std::string Describe(const Variant& variant);

// Parameters and given statistics by `random`; no rows yet.
OwnedParameters MakeParameters(const Variant& variant, int64_t hidden, Random& random);
// The same with rows of every kind, in turn from `first_kind` on.
Trial MakeTrial(const Variant& variant, int64_t rows, int64_t hidden, Random& random, int first_kind = 0);
// One row of a trial as a trial.
Trial RowOf(const Trial& trial, int64_t row);

// An output's rows may lie exactly where an input's do.
enum class Place { kOwn, kX, kResidual };

// Bytes from a multiple of 64, and values between one row's end and the next one's begin.
struct Spot {
  size_t offset = 0;
  int64_t gap = 0;
};

struct Layout {
  Spot x = {};
  Spot residual = {};
  Spot y = {};
  Spot sum = {};
  Place y_place = Place::kOwn;
  Place sum_place = Place::kOwn;
  int tasks = 1;
  std::optional<int64_t> streaming_bytes = {};
};

std::string Describe(const Layout& layout);

// Any offset; now and then gaps, one output in place of an input, and stores past the caches.
Layout RandomLayout(const Trial& trial, Random& random);

}  // namespace normd

#endif  // NORMD_VERIFY_TRIAL_H_
