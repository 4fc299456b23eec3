// SPDX-License-Identifier: Apache-2.0
//
// Pieces of a page. What takes `text` escapes it; what takes `html` does not.

#ifndef NORMD_SERVER_HTML_H_
#define NORMD_SERVER_HTML_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace normd {

// Text for an element or a quoted attribute: cut at 256 bytes, and what is no UTF-8 or controls something
// shown as \x escapes.
std::string Escape(std::string_view text);

// A table with a heading for each column. Cells of all columns but the first `left` ones are numbers.
std::string Table(const std::vector<std::string>& headings, const std::vector<std::vector<std::string>>& rows,
                  size_t left);

// A bar of a chart: its height as a share of the highest, what is written below it, and what a pointer over
// it is told.
struct Bar {
  double share;
  std::string below;
  std::string title;
};

// Bars side by side as an SVG. `title` says in words what they show.
std::string BarChart(const std::vector<Bar>& bars, std::string_view title);

// "1,063,633".
std::string Grouped(uint64_t value);
// "812", "4.2k", "17M": three digits at most.
std::string ShortNumber(double value);
// "3.2 us", "14 ms", "2 h 5 min".
std::string ShortSeconds(double seconds);
std::string ShortBytes(double bytes);

}  // namespace normd

#endif  // NORMD_SERVER_HTML_H_
