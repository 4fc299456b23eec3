// SPDX-License-Identifier: Apache-2.0
#include "trace_context.h"

#include <algorithm>
#include <cstddef>

namespace normd {
namespace {

constexpr size_t kLength = 55;

bool IsHex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool IsId(std::string_view text) {
  return IsHex(text) && text.find_first_not_of('0') != std::string_view::npos;
}

}  // namespace

std::string_view ValidTraceparent(std::string_view value) {
  if (value.size() < kLength) return {};
  const std::string_view version = value.substr(0, 2);
  if (!IsHex(version) || version == "ff") return {};
  // A later version may append to it.
  if (value.size() > kLength && (version == "00" || value[kLength] != '-')) return {};
  if (value[2] != '-' || value[35] != '-' || value[52] != '-') return {};
  const bool valid = IsId(value.substr(3, 32)) && IsId(value.substr(36, 16)) && IsHex(value.substr(53, 2));
  return valid ? value.substr(0, kLength) : std::string_view();
}

}  // namespace normd
