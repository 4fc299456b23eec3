// SPDX-License-Identifier: Apache-2.0
#include "harness.h"

#include "absl/strings/str_format.h"
#include "placed.h"

namespace normd {
namespace {

std::vector<uint32_t> Part(const std::vector<uint32_t>& all, int64_t begin, int64_t size) {
  if (all.empty()) return {};
  return {all.begin() + begin, all.begin() + begin + size};
}

}  // namespace

OwnedParameters MakeParameters(int choice, int64_t hidden, Random& random) {
  return MakeParameters({.gamma = (choice & 1) != 0, .beta = (choice & 2) != 0}, hidden, random);
}

Norm MakeNorm(const NormParameters& parameters, const NormOptions& options) {
  absl::StatusOr<Norm> norm = Norm::Create(parameters, options);
  EXPECT_TRUE(norm.ok()) << norm.status();
  return *std::move(norm);
}

Bits Answer(const Target& target, const Trial& trial, const Layout& layout) {
  absl::StatusOr<Bits> bits = RunTrial(target, trial, layout);
  EXPECT_TRUE(bits.ok()) << target.name << ", hidden " << trial.hidden << ": " << bits.status();
  return *std::move(bits);
}

Bits Normalize(const Target& target, std::span<const float> x, int64_t hidden,
               const OwnedParameters& parameters) {
  return Answer(target, {.parameters = parameters,
                         .hidden = hidden,
                         .x = {x.begin(), x.end()},
                         .wants_mean = true,
                         .wants_rstd = true});
}

std::vector<float> NormalizedRow(const Target& target, std::span<const float> x,
                                 const OwnedParameters& parameters) {
  return ValuesOf(Normalize(target, x, static_cast<int64_t>(x.size()), parameters).y);
}

uint32_t CanonicalNanOf(DataType data_type) {
  if (data_type == DataType::kFloat32) return kCanonicalNan;
  return data_type == DataType::kFloat16 ? 0x7E00 : 0x7FC0;
}

Bits RowOf(const Bits& batch, int64_t row, int64_t hidden) {
  return {Part(batch.y, row * hidden, hidden), Part(batch.residual_sum, row * hidden, hidden),
          Part(batch.mean, row, 1), Part(batch.rstd, row, 1)};
}

testing::AssertionResult SameBits(std::span<const uint32_t> expected, std::span<const uint32_t> got) {
  if (expected.size() != got.size()) {
    return testing::AssertionFailure() << "expected " << expected.size() << " values, got " << got.size();
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] == got[i]) continue;
    return testing::AssertionFailure()
           << absl::StrFormat("value %d: expected 0x%08X, got 0x%08X", i, expected[i], got[i]);
  }
  return testing::AssertionSuccess();
}

testing::AssertionResult SameBits(const Bits& expected, const Bits& got) {
  testing::AssertionResult same = SameBits(expected.y, got.y);
  if (!same) return same << " in y";
  same = SameBits(expected.residual_sum, got.residual_sum);
  if (!same) return same << " in residual_sum";
  same = SameBits(expected.mean, got.mean);
  if (!same) return same << " in mean";
  same = SameBits(expected.rstd, got.rstd);
  return same ? same : same << " in rstd";
}

}  // namespace normd
