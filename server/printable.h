// SPDX-License-Identifier: Apache-2.0
#ifndef NORMD_SERVER_PRINTABLE_H_
#define NORMD_SERVER_PRINTABLE_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace normd {

// `text` for a line of a log or a page: cut to `max` bytes, with an ellipsis then; control characters and
// what is no UTF-8 as \xNN. A terminal or a reader of lines takes nothing in it for a command or an end of
// line.
std::string Printable(std::string_view text, size_t max);

}  // namespace normd

#endif  // NORMD_SERVER_PRINTABLE_H_
