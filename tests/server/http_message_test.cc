// SPDX-License-Identifier: Apache-2.0
#include "http_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace normd {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(HttpMessage, RequestLinesAreTakenApart) {
  const auto request = ParseHttpRequest("GET /metrics?format=text HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->method, "GET");
  EXPECT_EQ(request->path, "/metrics");
  EXPECT_EQ(ParseHttpRequest("HEAD / HTTP/1.0\n\n")->method, "HEAD");
}

TEST(HttpMessage, WhatIsNoRequestIsNone) {
  for (const char* bytes :
       {"", "\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/2\r\n\r\n", "get / HTTP/1.1\n\n",
        "GET metrics HTTP/1.1\n\n", "GET  HTTP/1.1\n\n", "GET /a b HTTP/1.1\n\n", "GET /\x01 HTTP/1.1\n\n",
        "GET /\xff HTTP/1.1\n\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\x16\x03\x01\n\n"}) {
    EXPECT_FALSE(ParseHttpRequest(bytes).has_value()) << bytes;
  }
}

TEST(HttpMessage, AHeadEndsWithAnEmptyLine) {
  EXPECT_FALSE(HasWholeHead("GET / HTTP/1.1\r\nHost: a\r\n"));
  EXPECT_TRUE(HasWholeHead("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  EXPECT_TRUE(HasWholeHead("GET / HTTP/1.1\n\nbody"));
}

TEST(HttpMessage, ResponsesStateTheirSize) {
  const std::string whole = FormatHttpResponse({.body = "alive\n"}, true);
  EXPECT_THAT(whole, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(whole, HasSubstr("\r\nContent-Length: 6\r\n"));
  EXPECT_THAT(whole, HasSubstr("\r\nContent-Security-Policy: default-src 'none'"));
  EXPECT_THAT(whole, EndsWith("\r\n\r\nalive\n"));
  EXPECT_THAT(whole, Not(HasSubstr("Allow:")));
  const std::string head = FormatHttpResponse({.body = "alive\n"}, false);
  EXPECT_THAT(head, HasSubstr("\r\nContent-Length: 6\r\n"));
  EXPECT_THAT(head, EndsWith("\r\n\r\n"));
}

TEST(HttpMessage, ARefusedMethodIsToldTheOthers) {
  EXPECT_THAT(FormatHttpResponse({.status = 405}, true), HasSubstr("\r\nAllow: GET, HEAD\r\n"));
}

}  // namespace
}  // namespace normd
