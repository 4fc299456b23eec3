// SPDX-License-Identifier: Apache-2.0
#include "html.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "printable.h"

namespace normd {
namespace {

constexpr size_t kMaxText = 256;

// What stands for `c`; nothing where it stands for itself.
const char* EntityOf(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return nullptr;
  }
}

// `value` of a unit, with three digits and none after the point that say nothing.
std::string Digits(double value) { return absl::StrFormat("%.*g", value < 999.5 ? 3 : 4, value); }

std::string Scaled(double value, double step, const std::vector<const char*>& units) {
  size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= step;
    ++unit;
  }
  return absl::StrCat(Digits(value), units[unit]);
}

}  // namespace

std::string Escape(std::string_view text) {
  std::string escaped;
  for (const char c : Printable(text, kMaxText)) {
    if (const char* entity = EntityOf(c)) {
      escaped += entity;
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string Table(const std::vector<std::string>& headings, const std::vector<std::vector<std::string>>& rows,
                  size_t left) {
  const auto cells = [&](const std::vector<std::string>& texts, const char* element) {
    std::string html = "<tr>";
    for (size_t i = 0; i < texts.size(); ++i) {
      absl::StrAppend(&html, "<", element, i < left ? ">" : " class=n>", Escape(texts[i]), "</", element,
                      ">");
    }
    return html + "</tr>\n";
  };
  std::string html =
      absl::StrCat("<div class=wide><table>\n<thead>", cells(headings, "th"), "</thead><tbody>\n");
  for (const auto& row : rows) html += cells(row, "td");
  return html + "</tbody></table></div>\n";
}

std::string BarChart(const std::vector<Bar>& bars, std::string_view title) {
  constexpr int kWidth = 440;
  constexpr int kHeight = 90;
  constexpr int kMargin = 20;  // left and right, for half of what stands below the outermost bars
  const double step =
      static_cast<double>(kWidth - 2 * kMargin) / static_cast<double>(bars.empty() ? 1 : bars.size());
  std::string svg = absl::StrFormat("<svg viewBox='0 0 %d %d' role=img><title>%s</title>\n", kWidth,
                                    kHeight + 18, Escape(title));
  for (size_t i = 0; i < bars.size(); ++i) {
    const double x = kMargin + step * static_cast<double>(i);
    // What occurred at all is to be seen.
    const double height = bars[i].share > 0 ? std::max(1.5, bars[i].share * kHeight) : 0;
    absl::StrAppendFormat(&svg, "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f'><title>%s</title></rect>",
                          x + 0.5, kHeight - height, step - 1, height, Escape(bars[i].title));
    if (bars[i].below.empty()) continue;
    absl::StrAppendFormat(&svg, "<text x='%.1f' y='%d'>%s</text>", x + step / 2, kHeight + 15,
                          Escape(bars[i].below));
  }
  return absl::StrFormat("%s<line x1='%d' y1='%d' x2='%d' y2='%d'/></svg>\n", svg, kMargin, kHeight,
                         kWidth - kMargin, kHeight);
}

std::string Grouped(uint64_t value) {
  std::string digits = absl::StrCat(value);
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

std::string ShortNumber(double value) { return Scaled(value, 1000, {"", "k", "M", "G", "T"}); }

std::string ShortBytes(double bytes) { return Scaled(bytes, 1024, {" B", " KiB", " MiB", " GiB", " TiB"}); }

std::string ShortSeconds(double seconds) {
  if (seconds < 1) return Scaled(seconds * 1e9, 1000, {" ns", " \u00b5s", " ms"});
  if (seconds < 60) return Digits(seconds) + " s";
  const auto minutes = static_cast<int64_t>(seconds / 60);
  if (minutes < 60) return absl::StrCat(minutes, " min");
  const int64_t hours = minutes / 60;
  if (hours < 48) return absl::StrCat(hours, " h ", minutes % 60, " min");
  return absl::StrCat(hours / 24, " d ", hours % 24, " h");
}

}  // namespace normd
