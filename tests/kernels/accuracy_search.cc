// SPDX-License-Identifier: Apache-2.0
//
// The long search for the worst row. Exit code 1 where it finds one beyond the contract, 2 on wrong usage.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "data_types.h"
#include "normd/target.h"
#include "reference.h"
#include "search.h"

namespace normd {
namespace {

constexpr const char* kUsage = R"(accuracy_search: looks for the row on which a norm is furthest off.
  --seconds N      how long to look (60)
  --max-hidden N   the widest row (65536)
  --seed N         another seed, another search (1)
  --target NAME    the kernels to look at (the best of this CPU)
  --kind NAME      layer_norm or rms_norm (layer_norm)
  --type NAME      f32, f16 or bf16 (f32)
  --row SHAPE      measure one row, as printed by an earlier search, and stop
)";

constexpr std::span kSearched(kEveryKind, 2);  // all but batch_norm

struct Flags {
  double seconds = 60;
  int64_t max_hidden = 65536;
  uint64_t seed = 1;
  std::string target;
  std::string row;
  Subject subject;
};

// The one of `all` that is called `name`.
template <typename Enum>
bool SetByName(Enum& value, std::type_identity_t<std::span<const Enum>> all, std::string_view name) {
  const auto found = std::ranges::find_if(all, [name](Enum one) { return NameOf(one) == name; });
  if (found == all.end()) return false;
  value = *found;
  return true;
}

bool Set(Flags& flags, std::string_view name, const std::string& value) {
  if (name == "--seconds") return absl::SimpleAtod(value, &flags.seconds);
  if (name == "--max-hidden") return absl::SimpleAtoi(value, &flags.max_hidden) && flags.max_hidden > 0;
  if (name == "--seed") return absl::SimpleAtoi(value, &flags.seed);
  if (name == "--target") return flags.target = value, true;
  if (name == "--row") return flags.row = value, true;
  if (name == "--kind") return SetByName(flags.subject.kind, kSearched, value);
  if (name == "--type") return SetByName(flags.subject.data_type, kEveryDataType, value);
  return false;
}

std::optional<Flags> Parse(int argc, char** argv) {
  Flags flags;
  if (argc % 2 == 0) return std::nullopt;
  for (int i = 1; i < argc; i += 2) {
    if (!Set(flags, argv[i], argv[i + 1])) return std::nullopt;
  }
  return flags;
}

int MeasureOne(const Subject& subject, std::string_view text) {
  const std::optional<Shape> shape = ParseShape(text);
  if (!shape) return std::fputs("--row: not a shape\n", stderr), 2;
  const double row_ulp = Measure(subject, *shape);
  absl::PrintF("%.3f row-ULP\n", row_ulp);
  return row_ulp <= kWorstAllowed ? 0 : 1;
}

int SearchAndPrint(const Flags& flags) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(flags.seconds);
  SearchOptions options{
      .subject = flags.subject, .max_hidden = flags.max_hidden, .seed = flags.seed, .done = {}};
  options.done = [&](int64_t) { return std::chrono::steady_clock::now() >= end; };
  const SearchReport report = Search(options);
  for (const Found& found : report.worst) {
    if (found.row_ulp >= 0) absl::PrintF("%7.3f  %s\n", found.row_ulp, Describe(found.shape));
  }
  const Found worst = report.Worst();
  absl::PrintF("%s %s, %s, %d rows, %d values, seed %d: worst %.3f row-ULP, --row %s\n",
               NameOf(flags.subject.kind), NameOf(flags.subject.data_type), flags.subject.target->name,
               report.rows, report.elements, flags.seed, worst.row_ulp, Describe(worst.shape));
  return worst.row_ulp <= kWorstAllowed ? 0 : 1;
}

int Main(int argc, char** argv) {
  std::optional<Flags> flags = Parse(argc, argv);
  if (!flags) return std::fputs(kUsage, stderr), 2;
  const absl::StatusOr<const Target*> target = SelectTarget(flags->target);
  if (!target.ok()) return absl::FPrintF(stderr, "--target: %s\n", target.status().message()), 2;
  flags->subject.target = *target;
  return flags->row.empty() ? SearchAndPrint(*flags) : MeasureOne(flags->subject, flags->row);
}

}  // namespace
}  // namespace normd

int main(int argc, char** argv) { return normd::Main(argc, argv); }
