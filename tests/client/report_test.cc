// SPDX-License-Identifier: Apache-2.0
//
// The forms in which normctl shows numbers, and the load test's report.
#include "bench/report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "bench/plan.h"
#include "rows.h"
#include "text.h"

namespace normd {
namespace {

BenchPlan Plan() {
  auto plan =
      MakePlan({.address = "unix:/run/normd.sock", .total = 100, .warmup = "5", .percentiles = "50,90,99"});
  return *std::move(plan);
}

// 100 calls of 101 to 200 us, 30 us of each in the server and 2 us here.
BenchResult Result() {
  BenchResult result{
      .elapsed = 20'000'000, .server = "normd 9.8.7, target avx2", .placement = "unpinned, 2 CPUs"};
  for (uint64_t i = 1; i <= 100; ++i) {
    result.tally.samples.push_back({.latency = (100 + i) * 1000,
                                    .timings = {.marshal = 1500,
                                                .unmarshal = 500,
                                                .server_queue = 10'000,
                                                .server_compute = 20'000,
                                                .server_total = 30'000}});
  }
  return result;
}

TEST(ReportText, IsAlignedAndWhole) {
  const BenchPlan plan = Plan();
  const BenchResult result = Result();
  EXPECT_EQ(ReportText(Report(plan, result)), R"(server normd 9.8.7, target avx2; this client unpinned, 2 CPUs

  us              call  client  transport  server  queue  compute
  min            101.0     2.0       69.0    30.0   10.0     20.0
  mean           150.5     2.0      118.5    30.0   10.0     20.0
  p50            150.0     2.0      118.0    30.0   10.0     20.0
  p90            190.0     2.0      158.0    30.0   10.0     20.0
  p99   n/a (need 662)     n/a        n/a     n/a    n/a      n/a
  max            200.0     2.0      168.0    30.0   10.0     20.0

100 ok, 0 failed in 20 ms: 5,000 ok a second
)");
}

TEST(ReportText, CountsErrorsApartAndEscapesTheirText) {
  const BenchPlan plan = Plan();
  BenchResult result;
  result.elapsed = 1'000'000'000;
  result.tally.errors[absl::StatusCode::kNotFound] = 1234;
  result.tally.first_error[absl::StatusCode::kNotFound] = "no \x1b[31mlayer";
  const Report report(plan, result);
  EXPECT_EQ(ReportText(report).substr(ReportText(report).find("0 ok")),
            "0 ok, 1,234 failed in 1 s: 0 ok a second\n  1,234 NOT_FOUND, the first: no \\x1b[31mlayer\n");
  EXPECT_EQ(ExitCode(report), 4);
}

TEST(ReportText, CountsSlowCallsOfAPacedRun) {
  BenchPlan plan = Plan();
  plan.interval = 1'500'000'000;
  BenchResult result = Result();
  result.tally.samples[0].latency = 6'000'000;
  result.tally.samples[1].latency = 21'000'000;
  EXPECT_NE(ReportText(Report(plan, result)).find("max 21,000 us; over 5 ms: 2; over 20 ms: 1\n"),
            std::string::npos);
}

TEST(ReportJson, StatesTheSameNumbers) {
  const BenchPlan plan = Plan();
  const BenchResult result = Result();
  const auto json = nlohmann::json::parse(ReportJson(Report(plan, result)));
  EXPECT_EQ(json["ok"], 100);
  EXPECT_EQ(json["failed"], 0);
  EXPECT_EQ(json["end_reason"], "done");
  EXPECT_EQ(json["throughput_per_s"], 5000.0);
  EXPECT_EQ(json["latency_ns"]["max"], 200'000);
  EXPECT_EQ(json["latency_ns"]["percentiles"]["50"], 150'000);
  EXPECT_TRUE(json["latency_ns"]["percentiles"]["99"].is_null());
  EXPECT_EQ(json["shares_ns"]["server"]["percentiles"]["90"], 30'000);
  EXPECT_EQ(json["over_5ms"], 0);
  EXPECT_EQ(json["plan"]["transport"], "unix");
}

TEST(ExitCode, TellsHowTheRunEnded) {
  const BenchPlan plan = Plan();
  BenchResult result = Result();
  EXPECT_EQ(ExitCode(Report(plan, result)), 0);
  result.tally.errors[absl::StatusCode::kUnavailable] = 1;
  EXPECT_EQ(ExitCode(Report(plan, result)), 4);
  result.end_reason = EndReason::kInterrupted;
  EXPECT_EQ(ExitCode(Report(plan, result)), 130);
}

TEST(Describe, SaysWhatWasUnderstood) {
  EXPECT_EQ(
      Describe(*MakePlan({.address = "127.0.0.1:8001", .interval = "1.5s"})),
      "bench 127.0.0.1:8001: 10 s of 1 x 768 float32 (3 KiB) through layer layer_norm over TCP, closed loop, "
      "1 at a time, one every 1.5 s, after a warm-up of 2 s and at least 500 calls");
}

TEST(MakePlan, RefusesWithTheFlagsName) {
  const auto error = [](const BenchFlags& flags) { return std::string(MakePlan(flags).status().message()); };
  EXPECT_EQ(error({.total = 1, .duration = "1s"}),
            "--total and --duration were both given; expected one of them");
  EXPECT_EQ(error({.duration = "10"}),
            "--duration is \"10\"; expected a time of at most 30 days such as 10s, 500ms or 250us");
  EXPECT_EQ(error({.duration = "0"}), "--duration is 0; expected a time such as 10s");
  EXPECT_EQ(error({.concurrency = 0}), "--concurrency is 0; expected 1 to 1,024");
  EXPECT_EQ(error({.tokens = 1'000'000, .hidden = 1000}),
            "--tokens 1000000 times --hidden 1000 are 4000000000 bytes; a message holds at most 2147483647");
  EXPECT_NE(error({.warmup = "-2s"}), "");
  EXPECT_NE(error({.interval = "soon"}), "");
  EXPECT_NE(error({.timeout = "inf"}), "");
}

TEST(Text, ShowsNumbersForPeople) {
  EXPECT_EQ(WithThousands(0), "0");
  EXPECT_EQ(WithThousands(999), "999");
  EXPECT_EQ(WithThousands(1234567), "1,234,567");
  EXPECT_EQ(DurationText(1'500'000'000), "1.5 s");
  EXPECT_EQ(DurationText(250'000), "250 us");
  EXPECT_EQ(BytesText(3072), "3 KiB");
  EXPECT_EQ(BytesText(12), "12 bytes");
  EXPECT_EQ(Microseconds(93'456), "93.5");
  EXPECT_EQ(Microseconds(999'960), "1,000");
  EXPECT_EQ(ValueText(1.17011F), "1.17011");
  EXPECT_EQ(ValueText(1e-7F), "1e-07");
  EXPECT_EQ(ValueText(NAN), "nan");
  EXPECT_EQ(Printable("a\xC3\xA4\n\xC2\x9B"), "a\xC3\xA4\\x0a\xC2\\x9b");
}

TEST(ParseRows, SplitsRows) {
  EXPECT_EQ(ParseRows("1,-2.5;3,4e1", 0)->tokens, (std::vector<float>{1, -2.5, 3, 40}));
  EXPECT_EQ(ParseRows("1,-2.5;3,4e1", 0)->hidden, 2);
  EXPECT_EQ(ParseRows("1,2,3,4", 2)->hidden, 2);
  EXPECT_EQ(ParseRows("1,2,3", 0)->hidden, 3);
}

TEST(ParseRows, NamesExpectedAndGot) {
  const auto error = [](const char* text, int64_t hidden) {
    return std::string(ParseRows(text, hidden).status().message());
  };
  EXPECT_EQ(error("1,x", 0), "\"x\" is not a number");
  EXPECT_EQ(error("1,2;3", 0), "row 2 has 1 values; expected 2 as in the first");
  EXPECT_EQ(error("1,2,3", 2), "3 values are no whole number of rows of --hidden 2");
  EXPECT_EQ(error("1,2;3,4", 3), "rows have 2 values; --hidden says 3");
  EXPECT_EQ(ParseTokenCounts("1,-1").status().message(), "\"-1\" is not a whole number of tokens");
}

}  // namespace
}  // namespace normd
