// SPDX-License-Identifier: Apache-2.0
#include "harness.h"

#include <bit>

#include "absl/strings/str_format.h"

namespace normd {
namespace {

std::vector<uint32_t> Part(const std::vector<uint32_t>& all, int64_t begin, int64_t size) {
  return {all.begin() + begin, all.begin() + begin + size};
}

}  // namespace

std::vector<const Target*> TargetsHere() {
  std::vector<const Target*> here;
  for (const Target& target : AllTargets()) {
    if (target.runs_here()) here.push_back(&target);
  }
  return here;
}

const Target& Scalar() { return AllTargets().back(); }

OwnedParameters MakeParameters(int choice, int64_t hidden, Random& random) {
  OwnedParameters parameters;
  if ((choice & 1) != 0) parameters.gamma = ParameterRow(hidden, 1, random);
  if ((choice & 2) != 0) parameters.beta = ParameterRow(hidden, 0, random);
  return parameters;
}

Norm MakeLayer(const NormParameters& parameters, const Target& target) {
  absl::StatusOr<Norm> layer = Norm::Create(parameters, {.target = &target});
  EXPECT_TRUE(layer.ok()) << layer.status();
  return *std::move(layer);
}

Bits Normalize(const Target& target, std::span<const float> x, int64_t hidden,
               const OwnedParameters& parameters) {
  const int64_t rows = static_cast<int64_t>(x.size()) / hidden;
  std::vector<float> y(x.size());
  std::vector<float> mean(static_cast<size_t>(rows));
  std::vector<float> rstd(static_cast<size_t>(rows));
  const absl::Status status =
      MakeLayer(parameters.View(hidden), target)
          .Run({.rows = rows, .x = {x.data()}, .y = {y.data()}, .mean = mean.data(), .rstd = rstd.data()});
  EXPECT_TRUE(status.ok()) << status;
  return {BitsOf(y), BitsOf(mean), BitsOf(rstd)};
}

std::vector<float> NormalizedRow(const Target& target, std::span<const float> x,
                                 const OwnedParameters& parameters) {
  return ValuesOf(Normalize(target, x, static_cast<int64_t>(x.size()), parameters).y);
}

std::vector<uint32_t> BitsOf(std::span<const float> values) {
  std::vector<uint32_t> bits(values.size());
  std::memcpy(bits.data(), values.data(), values.size_bytes());
  return bits;
}

std::vector<float> ValuesOf(std::span<const uint32_t> bits) {
  std::vector<float> values(bits.size());
  std::memcpy(values.data(), bits.data(), bits.size_bytes());
  return values;
}

Bits RowOf(const Bits& batch, int64_t row, int64_t hidden) {
  return {Part(batch.y, row * hidden, hidden), Part(batch.mean, row, 1), Part(batch.rstd, row, 1)};
}

testing::AssertionResult SameBits(std::span<const uint32_t> expected, std::span<const uint32_t> got) {
  if (expected.size() != got.size()) {
    return testing::AssertionFailure() << "expected " << expected.size() << " values, got " << got.size();
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] == got[i]) continue;
    return testing::AssertionFailure()
           << absl::StrFormat("value %d: expected 0x%08X (%g), got 0x%08X (%g)", i, expected[i],
                              std::bit_cast<float>(expected[i]), got[i], std::bit_cast<float>(got[i]));
  }
  return testing::AssertionSuccess();
}

testing::AssertionResult SameBits(const Bits& expected, const Bits& got) {
  testing::AssertionResult same = SameBits(expected.y, got.y);
  if (!same) return same << " in y";
  same = SameBits(expected.mean, got.mean);
  if (!same) return same << " in mean";
  same = SameBits(expected.rstd, got.rstd);
  return same ? same : same << " in rstd";
}

}  // namespace normd
