// SPDX-License-Identifier: Apache-2.0
#include "printable.h"

#include "absl/strings/str_format.h"
#include "wire/utf8.h"

namespace normd {
namespace {

// The first `max` bytes, less a character that ends behind them.
std::string_view Cut(std::string_view text, size_t max) {
  if (text.size() <= max) return text;
  std::string_view cut = text.substr(0, max);
  for (int i = 0; i < 3 && !cut.empty() && !wire::IsUtf8(cut); ++i) cut.remove_suffix(1);
  return wire::IsUtf8(cut) ? cut : text.substr(0, max);
}

// The second half of the control characters, U+0080 to U+009F, is two bytes each in UTF-8.
bool IsLongControl(std::string_view rest) {
  return rest.size() > 1 && rest[0] == '\xc2' && static_cast<unsigned char>(rest[1]) < 0xa0;
}

}  // namespace

std::string Printable(std::string_view text, size_t max) {
  const std::string_view cut = Cut(text, max);
  const bool is_utf8 = wire::IsUtf8(cut);
  std::string printable;
  for (size_t i = 0; i < cut.size(); ++i) {
    const auto byte = static_cast<unsigned char>(cut[i]);
    if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !is_utf8)) {
      absl::StrAppendFormat(&printable, "\\x%02x", byte);
    } else if (IsLongControl(cut.substr(i))) {
      absl::StrAppendFormat(&printable, "\\x%02x\\x%02x", byte, static_cast<unsigned char>(cut[++i]));
    } else {
      printable += cut[i];
    }
  }
  return cut.size() < text.size() ? printable + "\u2026" : printable;
}

}  // namespace normd
