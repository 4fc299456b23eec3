// SPDX-License-Identifier: Apache-2.0
#include "bench/plan.h"

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "text.h"

namespace normd {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr int64_t kMaxMessage = INT32_MAX;

// Both bounds: slow calls still get their two seconds, and quick ones settle over more than a few.
constexpr Extent kDefaultWarmup{.calls = 500, .nanoseconds = 2 * kSecond, .until_both = true};

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

// "500" is a number of calls, "2s" a time.
absl::StatusOr<Extent> ParseWarmup(const std::string& text) {
  if (text.empty()) return kDefaultWarmup;
  uint64_t calls = 0;
  if (absl::SimpleAtoi(text, &calls)) return Extent{.calls = calls, .nanoseconds = {}};
  const auto time = ParseNanoseconds("--warmup", text);
  if (!time.ok()) return time.status();
  return Extent{.calls = {}, .nanoseconds = *time};
}

absl::StatusOr<Extent> ParseMeasured(const BenchFlags& flags) {
  if (flags.total > 0 && !flags.duration.empty()) {
    return absl::InvalidArgumentError("--total and --duration were both given; expected one of them");
  }
  if (flags.total > 0) return Extent{.calls = flags.total, .nanoseconds = {}};
  const auto time = ParseNanoseconds("--duration", flags.duration.empty() ? "10s" : flags.duration);
  if (!time.ok()) return time.status();
  if (*time == 0) return absl::InvalidArgumentError("--duration is 0; expected a time such as 10s");
  return Extent{.calls = {}, .nanoseconds = *time};
}

absl::Status CheckRange(std::string_view flag, int64_t value, int64_t max) {
  if (value >= 1 && value <= max) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(View(flag), " is ", value, "; expected 1 to ", WithThousands(static_cast<uint64_t>(max))));
}

absl::Status CheckShape(const BenchFlags& flags) {
  if (auto status = CheckRange("--concurrency", flags.concurrency, 1024); !status.ok()) return status;
  if (auto status = CheckRange("--tokens", flags.tokens, kMaxMessage / 4); !status.ok()) return status;
  if (auto status = CheckRange("--hidden", flags.hidden, kMaxMessage / 4); !status.ok()) return status;
  // Neither factor is over 2^29, so the product fits.
  const int64_t bytes = flags.tokens * flags.hidden * 4;
  if (bytes < kMaxMessage) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--tokens ", flags.tokens, " times --hidden ", flags.hidden,
                                                 " are ", bytes, " bytes; a message holds at most ",
                                                 kMaxMessage));
}

std::string Text(const Extent& extent) {
  std::string text;
  if (extent.nanoseconds) absl::StrAppend(&text, DurationText(*extent.nanoseconds));
  if (extent.until_both) absl::StrAppend(&text, " and at least ");
  if (extent.calls)
    absl::StrAppend(&text, WithThousands(*extent.calls), *extent.calls == 1 ? " call" : " calls");
  return text;
}

}  // namespace

absl::StatusOr<uint64_t> ParseNanoseconds(std::string_view flag, std::string_view text) {
  absl::Duration duration;
  if (absl::ParseDuration(View(text), &duration) && duration >= absl::ZeroDuration() &&
      duration <= absl::Hours(24 * 30)) {
    return static_cast<uint64_t>(absl::ToInt64Nanoseconds(duration));
  }
  return absl::InvalidArgumentError(
      absl::StrCat(View(flag), " is \"", absl::CHexEscape(View(text).substr(0, 40)),
                   "\"; expected a time of at most 30 days such as 10s, 500ms or 250us"));
}

absl::StatusOr<BenchPlan> MakePlan(const BenchFlags& flags) {
  if (auto status = CheckShape(flags); !status.ok()) return status;
  auto warmup = ParseWarmup(flags.warmup);
  if (!warmup.ok()) return warmup.status();
  auto measured = ParseMeasured(flags);
  if (!measured.ok()) return measured.status();
  const auto interval = ParseNanoseconds("--interval", flags.interval);
  if (!interval.ok()) return interval.status();
  const auto timeout = ParseNanoseconds("--timeout", flags.timeout);
  if (!timeout.ok()) return timeout.status();
  auto percentiles = ParsePercentiles(flags.percentiles);
  if (!percentiles.ok()) return percentiles.status();
  return BenchPlan{.address = flags.address,
                   .security = flags.security,
                   .warmup = *warmup,
                   .measured = *measured,
                   .concurrency = flags.concurrency,
                   .tokens = flags.tokens,
                   .hidden = flags.hidden,
                   .layer = flags.layer,
                   .interval = *interval,
                   .timeout = *timeout,
                   .percentiles = *std::move(percentiles),
                   .seed = flags.seed};
}

std::string_view Transport(const BenchPlan& plan) {
  if (plan.address.starts_with("unix:")) return "a Unix socket";
  return plan.security.UsesTls() ? "TLS on TCP" : "TCP";
}

std::string Describe(const BenchPlan& plan) {
  std::string text =
      absl::StrCat("bench ", Printable(plan.address), ": ", Text(plan.measured), " of ", plan.tokens, " x ",
                   plan.hidden, " float32 (", BytesText(static_cast<uint64_t>(plan.tokens * plan.hidden * 4)),
                   ") through layer ", Printable(plan.layer), " over ", View(Transport(plan)),
                   ", closed loop, ", plan.concurrency, " at a time");
  if (plan.interval > 0) absl::StrAppend(&text, ", one every ", DurationText(plan.interval));
  return absl::StrCat(text, ", after a warm-up of ", Text(plan.warmup));
}

}  // namespace normd
