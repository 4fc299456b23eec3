// SPDX-License-Identifier: Apache-2.0
//
// Numbers as people read them.

#ifndef NORMD_NORMCTL_TEXT_H_
#define NORMD_NORMCTL_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/string_view.h"

namespace normd {

// `text` without what a terminal would obey: control characters, as \xNN.
std::string Printable(absl::string_view text);

std::string WithThousands(uint64_t value);       // 41203 -> "41,203"
std::string DurationText(uint64_t nanoseconds);  // 1500000000 -> "1.5 s"
std::string BytesText(uint64_t bytes);           // 3072 -> "3 KiB"
std::string Microseconds(double nanoseconds);    // 93456 -> "93.5"; whole and with separators from 1,000 on
std::string ValueText(float value);  // five decimals, or five digits where those would show nothing

// Rows of cells in columns two spaces apart: the first column to the left, the others to the right.
std::string Table(const std::vector<std::vector<std::string>>& rows, std::string_view indent = "");

}  // namespace normd

#endif  // NORMD_NORMCTL_TEXT_H_
