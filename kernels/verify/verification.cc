// SPDX-License-Identifier: Apache-2.0
#include "verification.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "golden.h"
#include "placed.h"
#include "reference.h"

namespace normd {
namespace {

// In one part and in place of nothing, and by seven tasks in place, at odd addresses, past the caches.
const Layout kLayouts[] = {{}, {.x = {.offset = 1}, .y_place = Place::kX, .tasks = 7, .streaming_bytes = 0}};

void Fault(Verdict* verdict, std::string text) {
  if (verdict->ok()) verdict->first_fault = std::move(text);
}

void VerifyHash(const std::string& expected, const std::vector<Trial>& calls, const Layout& layout,
                const std::string& path, Verdict* verdict) {
  ++verdict->hashes;
  const absl::StatusOr<std::string> hash = GoldenHash(*verdict->target, calls, layout);
  if (hash.ok() && *hash == expected) {
    ++verdict->hashes_equal;
  } else {
    Fault(verdict, absl::StrCat(path, ": expected the hash ", expected, ", got ",
                                hash.ok() ? *hash : std::string(hash.status().message())));
  }
}

void VerifyHashes(std::vector<Verdict>* verdicts) {
  const auto file = nlohmann::json::parse(GoldenJson());
  size_t turn = 0;
  for (const GoldenCase& golden : GoldenCases()) {
    const std::string path = GoldenPath(golden);
    const std::string expected = file.at(nlohmann::json::json_pointer(path));
    const std::vector<Trial> calls = GoldenCalls(golden);
    const Layout& layout = kLayouts[turn++ % 2];
    for (Verdict& verdict : *verdicts) VerifyHash(expected, calls, layout, path, &verdict);
  }
}

void VerifyOn(const Trial& row, const ExactRow& exact, Verdict* verdict) {
  ++verdict->rows;
  const absl::StatusOr<Bits> bits = RunTrial(*verdict->target, row);
  if (!bits.ok()) return Fault(verdict, std::string(bits.status().message()));
  const double row_ulp = ContractRowUlp(exact, DecodeAll(row.data_type, bits->y));
  verdict->worst_row_ulp = std::max(verdict->worst_row_ulp, row_ulp);
  if (row_ulp <= kWorstAllowed) return;
  Fault(verdict, absl::StrCat(std::string(NameOf(row.parameters.kind)), " of ",
                              std::string(NameOf(row.data_type)), ", hidden ", row.hidden,
                              ": expected at most ", kWorstAllowed, " row-ULP, got ", row_ulp));
}

// The contract says nothing of rows that are not finite; the hashes do.
void VerifyRow(const Trial& row, std::vector<Verdict>* verdicts) {
  const ExactRow exact(row);
  if (!exact.finite()) return;
  for (Verdict& verdict : *verdicts) VerifyOn(row, exact, &verdict);
}

void VerifyAccuracy(std::vector<Verdict>* verdicts) {
  Random random(1);
  for (const NormKind kind : kEveryKind) {
    for (const DataType data_type : kEveryDataType) {
      for (const int64_t hidden : {1, 7, 64, 100, 255, 384, 768, 771, 1024, 1200, 4096}) {
        const Trial trial = MakeTrial(FullVariant(kind, data_type), kRowKinds, hidden, random);
        for (int64_t r = 0; r < trial.rows(); ++r) VerifyRow(RowOf(trial, r), verdicts);
      }
    }
  }
}

}  // namespace

std::vector<Verdict> VerifyTargets(std::span<const Target* const> targets) {
  std::vector<Verdict> verdicts;
  for (const Target* target : targets) verdicts.push_back({.target = target});
  VerifyHashes(&verdicts);
  VerifyAccuracy(&verdicts);
  return verdicts;
}

}  // namespace normd
