// SPDX-License-Identifier: Apache-2.0
#include "golden.h"

#include "absl/strings/str_format.h"
#include "harness.h"

namespace normd {

uint64_t Fnv1a(std::span<const uint32_t> values, uint64_t hash) {
  constexpr uint64_t kPrime = 0x100000001B3;
  for (const uint32_t value : values) {
    for (int shift = 0; shift < 32; shift += 8) hash = (hash ^ (value >> shift & 0xFF)) * kPrime;
  }
  return hash;
}

std::vector<int64_t> GoldenWidths() {
  std::vector<int64_t> widths;
  for (int64_t hidden = 1; hidden <= 66; ++hidden) widths.push_back(hidden);
  for (const int64_t hidden : {100, 127, 128, 129, 255, 256, 257, 300}) widths.push_back(hidden);
  for (const int64_t hidden : SpreadOfHidden()) widths.push_back(hidden);
  widths.push_back(65536);
  return widths;
}

std::string GoldenHash(const Target& target, int64_t hidden) {
  Random random(static_cast<uint64_t>(hidden));
  const std::vector<float> x = MixedRows(kRowKinds, hidden, random);
  OwnedParameters parameters = MakeParameters(3, hidden, random);
  parameters.epsilon = hidden % 2 == 0 ? 0 : 1e-5;
  const Bits bits = Normalize(target, x, hidden, parameters);
  return absl::StrFormat("%016x", Fnv1a(bits.rstd, Fnv1a(bits.mean, Fnv1a(bits.y, kFnv1aStart))));
}

std::string GoldenKey(int64_t hidden) { return absl::StrFormat("hidden_%d", hidden); }

}  // namespace normd
