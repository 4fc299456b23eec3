// SPDX-License-Identifier: Apache-2.0
//
// Counts and their text, without a server.
#include "metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "metrics_text.h"

namespace normd {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

const BuildInfo kBuild = {"1.2.3", "avx2", 7};

// Each sample of a text by its name and labels. A line that is neither sample nor comment fails the test.
std::map<std::string, double> SamplesOf(const std::string& text) {
  static const std::regex kComment(R"(# (HELP|TYPE) [a-zA-Z_:][a-zA-Z0-9_:]* .+)");
  static const std::regex kSample(
      R"re(([a-zA-Z_:][a-zA-Z0-9_:]*(\{[a-z_]+="[^"\\]*"(,[a-z_]+="[^"\\]*")*\})?) ([0-9.e+-]+))re");
  std::map<std::string, double> samples;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, kComment)) continue;
    if (!std::regex_match(line, match, kSample)) {
      ADD_FAILURE() << "not a line of the format: " << line;
    } else if (!samples.emplace(match[1], std::stod(match[4])).second) {
      ADD_FAILURE() << "twice: " << line;
    }
  }
  return samples;
}

TEST(Latencies, BoundsAreInclusive) {
  EXPECT_EQ(Latencies::BucketOf(0), 0U);
  EXPECT_EQ(Latencies::BucketOf(1000), 0U);
  EXPECT_EQ(Latencies::BucketOf(1001), 1U);
  EXPECT_EQ(Latencies::BucketOf(2000), 1U);
  EXPECT_EQ(Latencies::BucketOf(2001), 2U);
  const uint64_t last = 1000ULL << (Latencies::kBounds - 1);
  EXPECT_EQ(Latencies::BucketOf(last), Latencies::kBounds - 1);
  EXPECT_EQ(Latencies::BucketOf(last + 1), Latencies::kBounds);
  EXPECT_EQ(Latencies::BucketOf(UINT64_MAX / 2), Latencies::kBounds);
}

TEST(Latencies, EachBoundHasItsBucket) {
  for (size_t i = 0; i < Latencies::kBounds; ++i) {
    EXPECT_EQ(Latencies::BucketOf(static_cast<uint64_t>(std::llround(Latencies::Bound(i) * 1e9))), i);
  }
}

TEST(Tally, CountsAddUp) {
  Tally tally;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        tally.Begin();
        tally.End(i % 17, nanoseconds(i));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  tally.Begin();
  EXPECT_EQ(tally.begun(), 4001U);
  EXPECT_EQ(tally.ended(), 4000U);
  EXPECT_EQ(tally.in_flight(), 1U);
  EXPECT_EQ(tally.ended(0), 4U * 59);
  EXPECT_NEAR(tally.latencies().sum_seconds(), 4 * 499500e-9, 1e-12);
}

TEST(Tally, CodesThatAreNoneAreUnknown) {
  Tally tally;
  tally.End(17, nanoseconds(1));
  tally.End(-1, nanoseconds(-1));
  EXPECT_EQ(tally.ended(2), 2U);
  EXPECT_EQ(tally.latencies().bucket(0), 2U);
}

TEST(MetricsText, EachLineParsesAndAFreshServerHasEachFamily) {
  const Metrics metrics;
  const auto samples = SamplesOf(MetricsText(metrics, kBuild));
  EXPECT_EQ(samples.at(R"(normd_build_info{version="1.2.3",target="avx2",numerics_revision="7"})"), 1);
  EXPECT_EQ(samples.at("normd_serving"), 0);
  EXPECT_EQ(samples.at(R"(grpc_server_started_total{grpc_type="unary",grpc_service="normd.v1.Normalizer",)"
                       R"(grpc_method="Normalize"})"),
            0);
  EXPECT_EQ(samples.at(R"(normd_rejections_total{reason="deadline"})"), 0);
  EXPECT_GT(samples.at("process_resident_memory_bytes"), 1e6);
  EXPECT_GT(samples.at("process_start_time_seconds"), 1.6e9);
  EXPECT_GT(samples.at("process_open_fds"), 2);
}

TEST(MetricsText, ShowsWhatWasCounted) {
  Metrics metrics;
  MethodMetrics& stream = metrics[Method::kNormalizeStream];
  stream.calls.Begin();
  stream.messages.Begin();
  stream.messages.End(0, microseconds(3));
  stream.messages.Begin();
  stream.messages.End(4, seconds(100));
  stream.Received(70);
  stream.Sent(30);
  stream.rows.Add(5);
  metrics.RejectFor(4);
  metrics.set_layers(3);
  metrics.set_phase(Phase::kServing);
  const auto samples = SamplesOf(MetricsText(metrics, kBuild));
  const std::string ours = R"(service="normd.v1.Normalizer",method="NormalizeStream")";
  EXPECT_EQ(samples.at("normd_requests_total{" + ours + R"(,code="OK"})"), 1);
  EXPECT_EQ(samples.at("normd_requests_total{" + ours + R"(,code="DeadlineExceeded"})"), 1);
  EXPECT_EQ(samples.at("normd_request_seconds_bucket{" + ours + R"(,le="2e-06"})"), 0);
  EXPECT_EQ(samples.at("normd_request_seconds_bucket{" + ours + R"(,le="4e-06"})"), 1);
  EXPECT_EQ(samples.at("normd_request_seconds_bucket{" + ours + R"(,le="8.388608"})"), 1);
  EXPECT_EQ(samples.at("normd_request_seconds_bucket{" + ours + R"(,le="+Inf"})"), 2);
  EXPECT_EQ(samples.at("normd_request_seconds_count{" + ours + "}"), 2);
  EXPECT_NEAR(samples.at("normd_request_seconds_sum{" + ours + "}"), 100.000003, 1e-9);
  EXPECT_EQ(samples.at("normd_calls_in_flight{" + ours + "}"), 1);
  EXPECT_EQ(samples.at("normd_request_bytes_total{" + ours + "}"), 70);
  EXPECT_EQ(samples.at("normd_response_bytes_total{" + ours + "}"), 30);
  EXPECT_EQ(samples.at("normd_rows_total{" + ours + "}"), 5);
  EXPECT_EQ(samples.at(R"(normd_rejections_total{reason="deadline"})"), 1);
  EXPECT_EQ(samples.at("normd_layers"), 3);
  EXPECT_EQ(samples.at("normd_serving"), 1);
}

}  // namespace
}  // namespace normd
