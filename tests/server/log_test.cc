// SPDX-License-Identifier: Apache-2.0
#include "log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "printable.h"
#include "rate_limit.h"
#include "trace_context.h"

namespace normd {
namespace {

using std::chrono::milliseconds;
using testing::EndsWith;
using testing::MatchesRegex;

// What is logged, in memory; the process's own logger is put back afterwards.
class LogTest : public testing::Test {
 protected:
  ~LogTest() override { spdlog::set_default_logger(before_); }

  void SetFormat(LogFormat format) {
    auto logger =
        std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(lines_));
    logger->set_formatter(MakeLogFormatter(format));
    spdlog::set_default_logger(std::move(logger));
  }
  nlohmann::json LoggedJson() const { return nlohmann::json::parse(lines_.str()); }

  std::ostringstream lines_;
  std::shared_ptr<spdlog::logger> before_ = spdlog::default_logger();
};

TEST_F(LogTest, TextIsOneLineWithATimeInUtc) {
  SetFormat(LogFormat::kText);
  spdlog::info("listening on {}", "a\nb\x1b[31m");
  EXPECT_THAT(lines_.str(), MatchesRegex(R"(....-..-..T..:..:..\....Z info listening on a\\x0ab\\x1b\[31m)"
                                         "\n"));
}

TEST_F(LogTest, TextQuotesWhatWouldBeTakenForAnotherField) {
  SetFormat(LogFormat::kText);
  const LogField fields[] = {
      {"plain", "a/b:1"}, {"empty", ""}, {"forged", "x code=OK"}, {"quotes", R"(a"b\)"}, {"seconds", 0.25}};
  LogEvent(spdlog::level::warn, "failed", fields);
  EXPECT_THAT(
      lines_.str(),
      EndsWith(R"(warning failed plain=a/b:1 empty="" forged="x code=OK" quotes="a\"b\\" seconds=0.25)"
               "\n"));
}

TEST_F(LogTest, JsonIsOneObjectALine) {
  SetFormat(LogFormat::kJson);
  const LogField fields[] = {{"id", "a\"\n\\\xff"}, {"seconds", 0.25}};
  LogEvent(spdlog::level::warn, "failed {}", fields);
  const auto json = LoggedJson();
  EXPECT_EQ(json["level"], "warning");
  EXPECT_EQ(json["message"], "failed {}");
  EXPECT_EQ(json["id"], R"(a"\x0a\\xff)");
  EXPECT_EQ(json["seconds"], 0.25);
  EXPECT_THAT(lines_.str(), EndsWith("}\n"));
}

TEST_F(LogTest, FieldsAreThoseOfOneEvent) {
  SetFormat(LogFormat::kJson);
  const LogField field = {"id", "7"};
  LogEvent(spdlog::level::info, "first", {&field, 1});
  lines_.str("");
  spdlog::info("second");
  EXPECT_FALSE(LoggedJson().contains("id"));
}

TEST_F(LogTest, NothingIsUnbounded) {
  for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
    lines_.str("");
    SetFormat(format);
    const LogField field = {"id", std::string(1 << 20, 'x')};
    LogEvent(spdlog::level::info, std::string(1 << 20, 'x'), {&field, 1});
    EXPECT_LT(lines_.str().size(), 4096U);
  }
}

TEST(Printable, ControlsAndBrokenUtf8AreEscaped) {
  EXPECT_EQ(Printable("a\u00b5\u2264", 99), "a\u00b5\u2264");
  EXPECT_EQ(Printable(std::string_view("\0\r\n\x7f", 4), 99), "\\x00\\x0d\\x0a\\x7f");
  EXPECT_EQ(Printable("\u009b31m", 99), "\\xc2\\x9b31m");
  EXPECT_EQ(Printable("\u00a0", 99), "\u00a0");
  EXPECT_EQ(Printable("\xc2", 99), "\\xc2");
  EXPECT_EQ(Printable("abcd", 3), "abc\u2026");
  EXPECT_EQ(Printable("ab\u2264", 4), "ab\u2026");
}

TEST(Traceparent, ValidOnesAreKept) {
  const std::string valid = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  EXPECT_EQ(ValidTraceparent(valid), valid);
  // A version that does not exist yet may have more behind a dash.
  const std::string later = "cc" + valid.substr(2);
  EXPECT_EQ(ValidTraceparent(later), later);
  EXPECT_EQ(ValidTraceparent(later + "-what-the-future-will-be-like"), later);
  EXPECT_EQ(ValidTraceparent(later + ".what"), "");
}

TEST(Traceparent, OthersAreIgnored) {
  for (const char* value : {"", "00", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
                            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
                            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
                            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
                            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0x",
                            "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                            "00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01",
                            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331_01"}) {
    EXPECT_EQ(ValidTraceparent(value), "") << value;
  }
}

TEST(RateLimit, SoManyASecondAndTheRestIsCounted) {
  RateLimit limit(2);
  const Clock::time_point start;
  EXPECT_TRUE(limit.Allow(start));
  EXPECT_TRUE(limit.Allow(start + milliseconds(1)));
  EXPECT_FALSE(limit.Allow(start + milliseconds(2)));
  EXPECT_FALSE(limit.Allow(start + milliseconds(999)));
  EXPECT_TRUE(limit.Allow(start + milliseconds(1000)));
  EXPECT_EQ(limit.TakeSuppressed(), 2U);
  EXPECT_EQ(limit.TakeSuppressed(), 0U);
  EXPECT_TRUE(limit.Allow(start + milliseconds(1001)));
  EXPECT_FALSE(limit.Allow(start + milliseconds(1002)));
}

}  // namespace
}  // namespace normd
