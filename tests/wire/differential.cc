// SPDX-License-Identifier: Apache-2.0
#include "differential.h"

#include <google/protobuf/stubs/logging.h>

#include <limits>

#include "absl/strings/str_cat.h"
#include "to_proto.h"

namespace normd {
namespace {

// Limits are ours alone; without them the two can be compared.
constexpr wire::ReadLimits kNoLimits = {.max_sequences = std::numeric_limits<int64_t>::max(),
                                        .max_outputs = std::numeric_limits<int64_t>::max()};

// Our reader does not say whether the timings were there, since they are 0 where they were not.
void FillIn(v1::NormalizeRequest*) {}
void FillIn(v1::NormalizeResponse* message) { message->mutable_timings(); }
void FillIn(v1::NormalizeStreamResponse* message) {
  if (message->has_result()) message->mutable_result()->mutable_timings();
}

// Serialized, floats are their bits, and presence shows.
template <typename Message>
std::string Difference(const Message& expected, const Message& got) {
  if (expected.SerializeAsString() == got.SerializeAsString()) return "";
  return absl::StrCat("protobuf has {", expected.ShortDebugString(), "}, we have {", got.ShortDebugString(),
                      "}");
}

template <typename Message, typename Ours>
Verdict CompareAs(std::string_view bytes, wire::Slices slices, const absl::Status& status, const Ours& ours) {
  Message expected;
  const bool accepted = expected.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  if (accepted != status.ok()) {
    return {accepted, absl::StrCat(accepted ? "protobuf accepts it" : "protobuf refuses it", ", and we say ",
                                   status.ToString())};
  }
  if (!accepted) return {false, ""};
  expected.DiscardUnknownFields();
  FillIn(&expected);
  return {true, Difference(expected, ToProto(ours, slices))};
}

}  // namespace

std::array<const google::protobuf::Descriptor*, Differential::kTypes> Differential::Types() {
  return {v1::NormalizeRequest::descriptor(), v1::NormalizeResponse::descriptor(),
          v1::NormalizeStreamResponse::descriptor()};
}

// protobuf logs each string that is not UTF-8.
Differential::Differential() { google::protobuf::SetLogHandler(nullptr); }

Verdict Differential::Compare(size_t type, std::string_view bytes, wire::Slices slices) {
  absl::Status status;
  switch (type) {
    case 0:
      status = wire::ReadNormalizeRequest(slices, kNoLimits, &request_);
      return CompareAs<v1::NormalizeRequest>(bytes, slices, status, request_);
    case 1:
      status = wire::ReadNormalizeResponse(slices, &response_);
      return CompareAs<v1::NormalizeResponse>(bytes, slices, status, response_);
    default:
      status = wire::ReadNormalizeStreamResponse(slices, &stream_response_);
      return CompareAs<v1::NormalizeStreamResponse>(bytes, slices, status, stream_response_);
  }
}

}  // namespace normd
