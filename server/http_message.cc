// SPDX-License-Identifier: Apache-2.0
#include "http_message.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace normd {
namespace {

const char* ReasonOf(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    default:
      return "";
  }
}

bool IsMethod(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool IsTarget(std::string_view text) {
  return text.starts_with('/') &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 127; });
}

// The page needs nothing from anywhere, and no one may frame it; a figure is stale at once.
constexpr char kFixedFields[] =
    "Connection: close\r\n"
    "Cache-Control: no-store\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'\r\n";

}  // namespace

bool HasWholeHead(std::string_view bytes) {
  return bytes.find("\r\n\r\n") != std::string_view::npos || bytes.find("\n\n") != std::string_view::npos;
}

std::optional<HttpRequest> ParseHttpRequest(std::string_view bytes) {
  std::string_view line = bytes.substr(0, bytes.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return std::nullopt;
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const bool is_http = line.substr(last + 1).starts_with("HTTP/1.");
  if (!is_http || !IsMethod(line.substr(0, first)) || !IsTarget(target)) return std::nullopt;
  return HttpRequest{line.substr(0, first), target.substr(0, target.find('?'))};
}

std::string FormatHttpResponse(const HttpResponse& response, bool with_body) {
  return absl::StrCat("HTTP/1.1 ", response.status, " ", ReasonOf(response.status),
                      "\r\nContent-Type: ", response.content_type,
                      "\r\nContent-Length: ", response.body.size(), "\r\n",
                      response.status == 405 ? "Allow: GET, HEAD\r\n" : "", kFixedFields, "\r\n",
                      with_body ? response.body : "");
}

}  // namespace normd
