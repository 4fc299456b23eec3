// SPDX-License-Identifier: Apache-2.0
#include "text.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace normd {
namespace {

// `value` in the largest of the units in which it is at least 1.
struct Unit {
  double size;
  const char* name;
};

template <size_t N>
std::string InUnits(double value, const Unit (&units)[N]) {
  const Unit* unit = units;
  while (unit + 1 < units + N && value < unit->size) ++unit;
  return absl::StrFormat("%.4g %s", value / unit->size, unit->name);
}

constexpr Unit kTimes[] = {{60e9, "min"}, {1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
constexpr Unit kSizes[] = {{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}, {1, "bytes"}};

std::vector<size_t> Widths(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  return widths;
}

// ASCII's, and the second set that UTF-8 writes as C2 80 to C2 9F.
bool IsControl(unsigned char previous, unsigned char byte) {
  return byte < 0x20 || byte == 0x7F || (previous == 0xC2 && byte >= 0x80 && byte < 0xA0);
}

}  // namespace

std::string Printable(absl::string_view text) {
  std::string printable;
  unsigned char previous = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (IsControl(previous, byte)) {
      absl::StrAppendFormat(&printable, "\\x%02x", byte);
    } else {
      printable.push_back(c);
    }
    previous = byte;
  }
  return printable;
}

std::string WithThousands(uint64_t value) {
  std::string text = absl::StrCat(value);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

std::string DurationText(uint64_t nanoseconds) { return InUnits(static_cast<double>(nanoseconds), kTimes); }

std::string BytesText(uint64_t bytes) { return InUnits(static_cast<double>(bytes), kSizes); }

std::string Microseconds(double nanoseconds) {
  const double microseconds = nanoseconds / 1e3;
  if (microseconds < 999.95) return absl::StrFormat("%.1f", microseconds);
  return WithThousands(static_cast<uint64_t>(std::llround(microseconds)));
}

std::string ValueText(float value) {
  const float size = std::fabs(value);
  const bool fits = size == 0 || (size >= 1e-3F && size < 1e6F);
  return fits ? absl::StrFormat("%.5f", value) : absl::StrFormat("%.5g", value);
}

std::string Table(const std::vector<std::vector<std::string>>& rows, std::string_view indent) {
  const std::vector<size_t> widths = Widths(rows);
  std::string text;
  for (const auto& row : rows) {
    std::string line(indent);
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - row[i].size(), ' ');
      if (i == 0) absl::StrAppend(&line, row[i], padding);
      if (i > 0) absl::StrAppend(&line, "  ", padding, row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    absl::StrAppend(&text, line, "\n");
  }
  return text;
}

}  // namespace normd
