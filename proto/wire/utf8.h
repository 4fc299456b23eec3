// SPDX-License-Identifier: Apache-2.0
//
// Whether bytes are UTF-8, by protobuf's rule for `string` fields.

#ifndef NORMD_WIRE_UTF8_H_
#define NORMD_WIRE_UTF8_H_

#include <string_view>

namespace normd::wire {

// True for well-formed UTF-8 as the Unicode standard's table 3-7 has it: no surrogates, no over-long forms,
// nothing above U+10FFFF. NUL is a character like any other.
bool IsUtf8(std::string_view text);

}  // namespace normd::wire

#endif  // NORMD_WIRE_UTF8_H_
