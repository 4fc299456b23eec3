// SPDX-License-Identifier: Apache-2.0
#include "wire/utf8.h"

#include <cstddef>
#include <cstdint>

namespace normd::wire {
namespace {

// What may follow a leading byte: how many bytes, and the range of the first of them. The further ones are 80
// to BF.
struct Sequence {
  size_t length;  // with the leading byte; 0: not a leading byte
  uint8_t low;
  uint8_t high;
};

Sequence SequenceOf(uint8_t lead) {
  if (lead < 0x80) return {1, 0, 0};
  if (lead < 0xC2) return {0, 0, 0};  // a continuation byte, or the over-long form of an ASCII character
  if (lead < 0xE0) return {2, 0x80, 0xBF};
  if (lead == 0xE0) return {3, 0xA0, 0xBF};
  if (lead == 0xED) return {3, 0x80, 0x9F};  // above are the surrogates
  if (lead < 0xF0) return {3, 0x80, 0xBF};
  if (lead == 0xF0) return {4, 0x90, 0xBF};
  if (lead < 0xF4) return {4, 0x80, 0xBF};
  if (lead == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

// How many characters of ASCII `text` begins with; nearly all text is nothing else.
size_t AsciiLength(std::string_view text) {
  size_t length = 0;
  while (length < text.size() && static_cast<uint8_t>(text[length]) < 0x80) ++length;
  return length;
}

bool IsContinuation(char byte) { return (static_cast<uint8_t>(byte) & 0xC0) == 0x80; }

// The length of the character that `text` begins with, 0 where it begins with none.
size_t CharacterLength(std::string_view text) {
  const Sequence sequence = SequenceOf(static_cast<uint8_t>(text[0]));
  if (sequence.length < 2) return sequence.length;
  if (text.size() < sequence.length) return 0;
  const auto second = static_cast<uint8_t>(text[1]);
  if (second < sequence.low || second > sequence.high) return 0;
  for (size_t i = 2; i < sequence.length; ++i) {
    if (!IsContinuation(text[i])) return 0;
  }
  return sequence.length;
}

}  // namespace

bool IsUtf8(std::string_view text) {
  for (text.remove_prefix(AsciiLength(text)); !text.empty(); text.remove_prefix(AsciiLength(text))) {
    const size_t length = CharacterLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace normd::wire
