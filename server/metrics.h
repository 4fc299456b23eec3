// SPDX-License-Identifier: Apache-2.0
//
// What the server counts. Every request pays for it, so it is a fixed table of atomics: no lock, no
// allocation, no look-up by name. metrics_text renders it.

#ifndef NORMD_SERVER_METRICS_H_
#define NORMD_SERVER_METRICS_H_

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace normd {

// A count that only rises. It is read while others add to it, so the order of two counts means nothing.
class Count {
 public:
  void Add(uint64_t n = 1) noexcept { value_.fetch_add(n, std::memory_order_relaxed); }
  uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_ = 0;
};

// How often which latency occurred. The buckets' upper bounds are 1 us doubled: 1 us, 2 us ... 8.4 s.
class Latencies {
 public:
  static constexpr size_t kBounds = 24;
  static constexpr double Bound(size_t i) { return 1e-6 * static_cast<double>(uint64_t{1} << i); }  // seconds

  void Add(std::chrono::nanoseconds latency) noexcept {
    const auto ns = static_cast<uint64_t>(latency.count() > 0 ? latency.count() : 0);
    buckets_[BucketOf(ns)].Add();
    sum_ns_.Add(ns);
  }
  // The first bucket whose bound is not exceeded; kBounds where the last one is.
  static constexpr size_t BucketOf(uint64_t ns) {
    const uint64_t microseconds = (ns + 999) / 1000;
    const auto bucket = static_cast<size_t>(std::bit_width(microseconds - (microseconds > 0 ? 1U : 0U)));
    return bucket < kBounds ? bucket : kBounds;
  }
  uint64_t bucket(size_t i) const noexcept { return buckets_[i].value(); }
  double sum_seconds() const noexcept { return static_cast<double>(sum_ns_.value()) * 1e-9; }

 private:
  std::array<Count, kBounds + 1> buckets_;  // not cumulative
  Count sum_ns_;
};

// The status codes of gRPC, which absl::StatusCode shares: OK is 0, UNAUTHENTICATED 16.
inline constexpr size_t kStatusCodes = 17;
std::string_view StatusCodeName(size_t code);  // as go-grpc-prometheus writes them: "OK", "InvalidArgument"

// Calls, or the messages of a stream, from their beginning to their end.
class Tally {
 public:
  void Begin() noexcept { begun_.Add(); }
  void End(int code, std::chrono::nanoseconds latency) noexcept {
    const auto index = static_cast<size_t>(code);
    ended_[index < kStatusCodes ? index : 2].Add();  // 2 is UNKNOWN
    latencies_.Add(latency);
  }
  uint64_t begun() const noexcept { return begun_.value(); }
  uint64_t ended(size_t code) const noexcept { return ended_[code].value(); }
  uint64_t ended() const noexcept;
  // Begun and not ended. Read in this order, it is never below 0.
  uint64_t in_flight() const noexcept {
    const uint64_t done = ended();
    return begun() - done;
  }
  const Latencies& latencies() const noexcept { return latencies_; }

 private:
  Count begun_;
  std::array<Count, kStatusCodes> ended_;
  Latencies latencies_;
};

// The RPCs that are counted. A new one needs a row in metrics.cc's table as well.
enum class Method {
  kNormalize,
  kNormalizeStream,
  kListLayers,
  kGetServerInfo,
  kHealthCheck,
  kHealthWatch,
  kCount
};
inline constexpr size_t kMethods = static_cast<size_t>(Method::kCount);

struct MethodName {
  std::string_view type;  // "unary", "server_stream" or "bidi_stream"
  std::string_view service;
  std::string_view method;
  bool normalizes;  // what the service is for, in distinction from probes and questions about it
};
const MethodName& NameOf(Method method);

// What one method counts. A line of the cache of its own, so that methods on different threads do not share
// one.
struct alignas(64) MethodMetrics {
  Tally calls;
  Tally messages;  // of a bidirectional stream: each is a request of its own
  Count received;
  Count received_bytes;
  Count sent;
  Count sent_bytes;
  Count rows;  // normalized

  void Received(uint64_t bytes) noexcept {
    received.Add();
    received_bytes.Add(bytes);
  }
  void Sent(uint64_t bytes) noexcept {
    sent.Add();
    sent_bytes.Add(bytes);
  }
};

// A request is a call, or a message of a bidirectional stream.
const Tally& RequestsOf(Method method, const MethodMetrics& counts);

// Why a request got no result though nothing was wrong with it. A new reason needs its name in metrics.cc.
enum class Rejection { kDeadline, kCancelled, kLimit, kCount };
inline constexpr size_t kRejections = static_cast<size_t>(Rejection::kCount);
std::string_view NameOf(Rejection reason);

// How far the process is; the first three also say why it is not ready.
enum class Phase { kLoading, kTesting, kStarting, kServing, kDraining };
std::string_view TextOf(Phase phase);

// All that is counted, once in the process. Any thread may add, and any may read meanwhile.
class Metrics {
 public:
  MethodMetrics& operator[](Method method) noexcept { return methods_[static_cast<size_t>(method)]; }
  const MethodMetrics& operator[](Method method) const noexcept {
    return methods_[static_cast<size_t>(method)];
  }

  void Reject(Rejection reason) noexcept { rejections_[static_cast<size_t>(reason)].Add(); }
  // Where the status alone tells the reason.
  void RejectFor(int code) noexcept;
  uint64_t rejected(Rejection reason) const noexcept {
    return rejections_[static_cast<size_t>(reason)].value();
  }

  void set_phase(Phase phase) noexcept { phase_.store(phase, std::memory_order_relaxed); }
  Phase phase() const noexcept { return phase_.load(std::memory_order_relaxed); }
  void set_layers(size_t layers) noexcept { layers_.store(layers, std::memory_order_relaxed); }
  size_t layers() const noexcept { return layers_.load(std::memory_order_relaxed); }

 private:
  std::array<MethodMetrics, kMethods> methods_;
  std::array<Count, kRejections> rejections_;
  std::atomic<Phase> phase_ = Phase::kLoading;
  std::atomic<size_t> layers_ = 0;
};

}  // namespace normd

#endif  // NORMD_SERVER_METRICS_H_
