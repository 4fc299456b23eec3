// SPDX-License-Identifier: Apache-2.0
#include "metrics.h"

namespace normd {
namespace {

constexpr std::string_view kCodeNames[] = {
    "OK",       "Canceled",       "Unknown",          "InvalidArgument",   "DeadlineExceeded",
    "NotFound", "AlreadyExists",  "PermissionDenied", "ResourceExhausted", "FailedPrecondition",
    "Aborted",  "OutOfRange",     "Unimplemented",    "Internal",          "Unavailable",
    "DataLoss", "Unauthenticated"};
static_assert(std::size(kCodeNames) == kStatusCodes);

constexpr MethodName kMethodNames[] = {
    {"unary", "normd.v1.Normalizer", "Normalize", true},
    {"bidi_stream", "normd.v1.Normalizer", "NormalizeStream", true},
    {"unary", "normd.v1.Normalizer", "ListLayers", false},
    {"unary", "normd.v1.Normalizer", "GetServerInfo", false},
    {"unary", "grpc.health.v1.Health", "Check", false},
    {"server_stream", "grpc.health.v1.Health", "Watch", false},
};
static_assert(std::size(kMethodNames) == kMethods);

constexpr std::string_view kRejectionNames[] = {"deadline", "cancelled", "limit"};
static_assert(std::size(kRejectionNames) == kRejections);

}  // namespace

std::string_view StatusCodeName(size_t code) { return kCodeNames[code]; }

const MethodName& NameOf(Method method) { return kMethodNames[static_cast<size_t>(method)]; }

std::string_view NameOf(Rejection reason) { return kRejectionNames[static_cast<size_t>(reason)]; }

std::string_view TextOf(Phase phase) {
  switch (phase) {
    case Phase::kLoading:
      return "loading checkpoints";
    case Phase::kTesting:
      return "testing the kernels";
    case Phase::kStarting:
      return "starting to listen";
    case Phase::kServing:
      return "serving";
    case Phase::kDraining:
      return "draining";
  }
  return "";
}

const Tally& RequestsOf(Method method, const MethodMetrics& counts) {
  return NameOf(method).type == "bidi_stream" ? counts.messages : counts.calls;
}

uint64_t Tally::ended() const noexcept {
  uint64_t sum = 0;
  for (const Count& count : ended_) sum += count.value();
  return sum;
}

void Metrics::RejectFor(int code) noexcept {
  constexpr int kCancelled = 1;
  constexpr int kDeadlineExceeded = 4;
  constexpr int kResourceExhausted = 8;
  if (code == kCancelled) Reject(Rejection::kCancelled);
  if (code == kDeadlineExceeded) Reject(Rejection::kDeadline);
  if (code == kResourceExhausted) Reject(Rejection::kLimit);
}

}  // namespace normd
