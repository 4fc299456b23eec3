// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as what a client says of itself: a request's head, a traceparent, a text for a log or a page.
// What is taken from them is a part of them, and what is shown of them is bounded, UTF-8 and free of control
// characters.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "html.h"
#include "http_message.h"
#include "printable.h"
#include "trace_context.h"
#include "wire/utf8.h"

namespace {

constexpr size_t kMax = 64;

bool IsShowable(std::string_view shown) {
  for (const char c : shown) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) return false;
  }
  return normd::wire::IsUtf8(shown);
}

bool Holds(std::string_view bytes) {
  const auto request = normd::ParseHttpRequest(bytes);
  if (request.has_value() && (request->path.front() != '/' || !IsShowable(request->path))) return false;
  const std::string_view trace = normd::ValidTraceparent(bytes);
  if (!trace.empty() && (trace.size() != 55 || !bytes.starts_with(trace))) return false;
  const std::string shown = normd::Printable(bytes, kMax);
  if (!IsShowable(shown) || shown.size() > 4 * kMax + 3) return false;
  const std::string html = normd::Escape(bytes);
  return IsShowable(html) && html.find_first_of("<>\"'") == std::string::npos;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (!Holds({reinterpret_cast<const char*>(data), size})) std::abort();
  return 0;
}
