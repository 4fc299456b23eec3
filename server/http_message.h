// SPDX-License-Identifier: Apache-2.0
//
// As much of HTTP/1.1 as questions without a body need, and no more.

#ifndef NORMD_SERVER_HTTP_MESSAGE_H_
#define NORMD_SERVER_HTTP_MESSAGE_H_

#include <optional>
#include <string>
#include <string_view>

namespace normd {

// Longest head of a request: its line and its header fields.
inline constexpr size_t kMaxHttpHead = 8192;

struct HttpRequest {
  std::string_view method;
  std::string_view path;  // without the query
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body = {};
};

// Whether `bytes` hold a whole head, which ends with an empty line.
bool HasWholeHead(std::string_view bytes);

// The request whose head `bytes` begin with, as views of them. Nothing where that is not HTTP/1.
std::optional<HttpRequest> ParseHttpRequest(std::string_view bytes);

// The bytes to send: for HEAD without the body, whose size they still state.
std::string FormatHttpResponse(const HttpResponse& response, bool with_body);

}  // namespace normd

#endif  // NORMD_SERVER_HTTP_MESSAGE_H_
