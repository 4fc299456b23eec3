// SPDX-License-Identifier: Apache-2.0
#include "golden.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "placed.h"

namespace normd {
namespace {

// Where registers, blocks of 32, rows at once, groups of 128 and flushes begin and end, and what models have.
constexpr int64_t kWidths[] = {1,   2,   3,    4,    5,    6,    7,    8,    9,    10,  11,  12,
                               13,  14,  15,   16,   17,   24,   31,   32,   33,   47,  63,  64,
                               65,  100, 127,  128,  129,  255,  256,  257,  300,  384, 512, 640,
                               768, 771, 1000, 1024, 1151, 1152, 1153, 4096, 8192, 8193};

uint64_t HashOf(const Bits& bits, uint64_t hash) {
  for (const std::vector<uint32_t>* part : {&bits.y, &bits.residual_sum, &bits.mean, &bits.rstd})
    hash = Fnv1a(*part, hash);
  return hash;
}

}  // namespace

uint64_t Fnv1a(std::span<const uint32_t> values, uint64_t hash) {
  constexpr uint64_t kPrime = 0x100000001B3;
  for (const uint32_t value : values) {
    for (int shift = 0; shift < 32; shift += 8) hash = (hash ^ (value >> shift & 0xFF)) * kPrime;
  }
  return hash;
}

std::vector<GoldenCase> GoldenCases() {
  std::vector<GoldenCase> cases;
  for (const NormKind kind : kEveryKind) {
    for (const DataType data_type : kEveryDataType) {
      for (const bool residual : {false, true}) {
        for (const int64_t hidden : kWidths) cases.push_back({kind, data_type, residual, hidden});
      }
    }
  }
  return cases;
}

std::string GoldenPath(const GoldenCase& golden) {
  return absl::StrCat("/", std::string(NameOf(golden.kind)), "/", std::string(NameOf(golden.data_type)),
                      golden.residual ? "_residual" : "", "/hidden_", golden.hidden);
}

std::vector<Trial> GoldenCalls(const GoldenCase& golden) {
  Random random(static_cast<uint64_t>(golden.hidden));
  Variant variant = FullVariant(golden.kind, golden.data_type);
  variant.residual = variant.sum = golden.residual;
  std::vector<Trial> calls;
  int first_kind = 0;
  for (const int rows : {1, 2, 3, 5, 17}) {
    calls.push_back(MakeTrial(variant, rows, golden.hidden, random, first_kind));
    calls.back().parameters.epsilon = golden.hidden % 2 == 0 ? 0 : 1e-5;
    first_kind += rows;
  }
  return calls;
}

absl::StatusOr<std::string> GoldenHash(const Target& target, const std::vector<Trial>& calls,
                                       const Layout& layout) {
  uint64_t hash = kFnv1aStart;
  for (const Trial& call : calls) {
    const absl::StatusOr<Bits> bits = RunTrial(target, call, layout);
    if (!bits.ok()) return bits.status();
    hash = HashOf(*bits, hash);
  }
  return absl::StrFormat("%016x", hash);
}

}  // namespace normd
