// SPDX-License-Identifier: Apache-2.0
#include "pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "html.h"
#include "latency_summary.h"

namespace normd {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class PagesTest : public testing::Test {
 protected:
  static PageFacts Facts() {
    PageFacts facts;
    facts.build = {"1.2.3", "avx2", 7};
    facts.settings.emplace_back("--listen", "<b>&\"'");
    return facts;
  }
  std::string BodyOf(std::string_view path) const { return pages_.Answer(path).body; }

  Metrics metrics_;
  LayerRegistry layers_{*DefaultTarget()};
  Pages pages_{&metrics_, Facts()};
};

TEST_F(PagesTest, ReadinessSaysWhyNot) {
  EXPECT_EQ(pages_.Answer("/readyz").status, 503);
  EXPECT_EQ(BodyOf("/readyz"), "not ready: loading checkpoints\n");
  metrics_.set_phase(Phase::kTesting);
  EXPECT_EQ(BodyOf("/readyz"), "not ready: testing the kernels\n");
  metrics_.set_phase(Phase::kStarting);
  EXPECT_EQ(pages_.Answer("/readyz").status, 503);
  metrics_.set_phase(Phase::kServing);
  EXPECT_EQ(pages_.Answer("/readyz").status, 200);
  metrics_.set_phase(Phase::kDraining);
  EXPECT_EQ(pages_.Answer("/readyz").status, 503);
  EXPECT_EQ(BodyOf("/readyz"), "not ready: draining\n");
  EXPECT_EQ(pages_.Answer("/livez").status, 200);
}

TEST_F(PagesTest, OtherPathsNameThoseThatAreHere) {
  EXPECT_EQ(pages_.Answer("/metrics/").status, 404);
  for (const char* path : {"/,", "/metrics", "/livez", "/readyz"}) EXPECT_THAT(BodyOf("/x"), HasSubstr(path));
}

TEST_F(PagesTest, MetricsAreInTheirFormat) {
  EXPECT_EQ(pages_.Answer("/metrics").content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_THAT(BodyOf("/metrics"), HasSubstr("\nnormd_serving 0\n"));
}

TEST_F(PagesTest, TheStatusPageShowsWhatHappenedAndEscapesIt) {
  MethodMetrics& counts = metrics_[Method::kNormalize];
  for (int i = 0; i < 1234; ++i) {
    counts.calls.Begin();
    counts.calls.End(i < 1000 ? 0 : 5, microseconds(3));
  }
  Layer layer;
  layer.name = "<script>alert(1)</script>";
  layer.hidden = 48;
  ASSERT_TRUE(layers_.Add(layer).ok());
  EXPECT_THAT(BodyOf("/"), HasSubstr("Being loaded"));
  pages_.ShowLayers(&layers_);
  const std::string page = BodyOf("/");
  EXPECT_EQ(pages_.Answer("/").content_type, "text/html; charset=utf-8");
  EXPECT_THAT(page, HasSubstr("1,000"));
  EXPECT_THAT(page, HasSubstr("NotFound"));
  EXPECT_THAT(page, HasSubstr("\u2264 4 \u00b5s"));
  EXPECT_THAT(page, HasSubstr("version 1.2.3, target avx2, numerics revision 7"));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("<b>&\"")));
}

TEST_F(PagesTest, LongListsOfLayersAreCut) {
  for (int i = 0; i < 150; ++i) {
    Layer layer;
    layer.name = "model/layer" + std::to_string(1000 + i);
    layer.hidden = 8;
    ASSERT_TRUE(layers_.Add(layer).ok());
  }
  pages_.ShowLayers(&layers_);
  EXPECT_THAT(BodyOf("/"), HasSubstr("model/layer1098<"));
  EXPECT_THAT(BodyOf("/"), Not(HasSubstr("model/layer1099<")));
  EXPECT_THAT(BodyOf("/"), HasSubstr("and 52 more"));
}

TEST(Html, TextIsEscapedAndCut) {
  EXPECT_EQ(Escape("a<b>&c"), "a&lt;b&gt;&amp;c");
  EXPECT_EQ(Escape("\x1b[0m\n"), "\\x1b[0m\\x0a");
  EXPECT_EQ(Escape("\xff"), "\\xff");
  EXPECT_EQ(Escape("\u00b5\u2264"), "\u00b5\u2264");
  EXPECT_EQ(Escape(std::string(1000, 'x')), std::string(256, 'x') + "\u2026");
  // A character that the cut would halve is left out.
  EXPECT_EQ(Escape(std::string(255, 'x') + "\u2264 and more"), std::string(255, 'x') + "\u2026");
}

TEST(Html, NumbersAreShort) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(1234567), "1,234,567");
  EXPECT_EQ(ShortNumber(0), "0");
  EXPECT_EQ(ShortNumber(999.7), "1k");
  EXPECT_EQ(ShortNumber(17e6), "17M");
  EXPECT_EQ(ShortBytes(1536), "1.5 KiB");
  EXPECT_EQ(ShortSeconds(4e-6), "4 \u00b5s");
  EXPECT_EQ(ShortSeconds(0.0655), "65.5 ms");
  EXPECT_EQ(ShortSeconds(42), "42 s");
  EXPECT_EQ(ShortSeconds(7500), "2 h 5 min");
  EXPECT_EQ(ShortSeconds(9 * 86400 + 3600), "9 d 1 h");
}

TEST(LatencySummary, QuantilesAreTheBoundsTheyLieBelow) {
  Latencies latencies;
  LatencySummary none;
  EXPECT_EQ(none.QuantileBound(0.5), 0);
  for (int i = 0; i < 99; ++i) latencies.Add(microseconds(3));
  latencies.Add(seconds(100));
  LatencySummary summary;
  summary.Add(latencies);
  EXPECT_EQ(summary.count(), 100U);
  EXPECT_EQ(summary.QuantileBound(0.99), Latencies::Bound(2));
  EXPECT_TRUE(std::isinf(summary.QuantileBound(0.995)));
}

// Time is a value here: a minute passes at once.
TEST(Recent, RatesAreThoseOfTheLastMinute) {
  Recent recent;
  EXPECT_EQ(recent.rates().requests, 0);
  EXPECT_TRUE(recent.requests_per_second().empty());
  const Clock::time_point start;
  recent.Sample({0, 0, 0}, start);
  recent.Sample({10, 1, 30}, start + seconds(2));
  EXPECT_EQ(recent.rates().requests, 5);
  EXPECT_EQ(recent.rates().rows, 15);
  EXPECT_EQ(recent.rates().errors, 1);
  recent.Sample({40, 1, 30}, start + seconds(3));
  EXPECT_THAT(recent.requests_per_second(), ElementsAre(5, 30));
  for (int i = 0; i < 60; ++i) recent.Sample({40, 1, 30}, start + seconds(4 + i));
  EXPECT_EQ(recent.rates().requests, 0);
  EXPECT_EQ(recent.rates().errors, 0);
  EXPECT_EQ(recent.requests_per_second().size(), Recent::kSeconds);
}

TEST(Totals, AreOfTheMethodsThatNormalize) {
  Metrics metrics;
  metrics[Method::kHealthCheck].calls.End(0, microseconds(1));
  metrics[Method::kNormalize].calls.End(0, microseconds(1));
  metrics[Method::kNormalizeStream].calls.End(0, microseconds(1));
  metrics[Method::kNormalizeStream].messages.End(3, microseconds(1));
  metrics[Method::kNormalizeStream].rows.Add(4);
  const Totals totals = TotalsOf(metrics);
  EXPECT_EQ(totals.requests, 2U);
  EXPECT_EQ(totals.errors, 1U);
  EXPECT_EQ(totals.rows, 4U);
}

}  // namespace
}  // namespace normd
