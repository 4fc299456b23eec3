// SPDX-License-Identifier: Apache-2.0
#include "wire/normalize_response.h"

#include <limits>

#include "wire/reader.h"

namespace normd::wire {
namespace {

constexpr auto kVarint = WireType::kVarint;
constexpr auto kFixed32 = WireType::kFixed32;
constexpr auto kBytes = WireType::kBytes;

// The answer comes from a server we chose, and a number takes at least one byte of it: no further limit.
constexpr int64_t kAny = std::numeric_limits<int64_t>::max();

bool ReadTimingsField(Reader* in, uint32_t tag, Timings* timings) {
  switch (tag) {
    case Tag(1, kVarint):
      return in->ReadNumber(&timings->queue_ns);
    case Tag(2, kVarint):
      return in->ReadNumber(&timings->compute_ns);
    case Tag(3, kVarint):
      return in->ReadNumber(&timings->total_ns);
    default:
      return in->SkipField(tag);
  }
}

bool ReadResponseField(Reader* in, uint32_t tag, NormalizeResponse* response) {
  switch (tag) {
    case Tag(1, kBytes):
      return in->ReadString(&response->request_id);
    case Tag(2, kVarint):
      return in->ReadNumber(&response->data_type);
    case Tag(3, kVarint):
      return in->ReadNumber(&response->hidden);
    case Tag(4, kBytes):
    case Tag(4, kVarint):
      return in->ReadNumbers(tag, kAny, "token_counts", &response->token_counts);
    case Tag(5, kBytes):
      return in->ReadMessage([=](uint32_t inner) { return ReadTimingsField(in, inner, &response->timings); });
    case Tag(6, kBytes):
    case Tag(6, kFixed32):
      return in->ReadFloats(tag, &response->mean);
    case Tag(7, kBytes):
    case Tag(7, kFixed32):
      return in->ReadFloats(tag, &response->rstd);
    case Tag(8, kBytes):
    case Tag(8, kFixed32):
      return in->ReadFloats(tag, &response->values);
    case Tag(9, kBytes):
    case Tag(9, kFixed32):
      return in->ReadFloats(tag, &response->residual_sum_values);
    case Tag(14, kBytes):
      return in->ReadRange(&response->residual_sum);
    case Tag(15, kBytes):
      return in->ReadRange(&response->data);
    default:
      return in->SkipField(tag);
  }
}

bool ReadErrorField(Reader* in, uint32_t tag, NormalizeStreamResponse* response) {
  switch (tag) {
    case Tag(1, kVarint):
      return in->ReadNumber(&response->error_code);
    case Tag(2, kBytes):
      return in->ReadString(&response->error_message);
    case Tag(3, kBytes):
      return in->ReadString(&response->error_request_id);
    default:
      return in->SkipField(tag);
  }
}

// The two are alternatives: one that comes later takes the place of the other, and is merged with its own
// kind.
void Choose(Answer answer, NormalizeStreamResponse* response) {
  if (response->answer != answer) response->Clear();
  response->answer = answer;
}

bool ReadStreamField(Reader* in, uint32_t tag, NormalizeStreamResponse* response) {
  switch (tag) {
    case Tag(1, kBytes):
      Choose(Answer::kError, response);
      return in->ReadMessage([=](uint32_t inner) { return ReadErrorField(in, inner, response); });
    case Tag(15, kBytes):
      Choose(Answer::kResult, response);
      return in->ReadMessage([=](uint32_t inner) { return ReadResponseField(in, inner, &response->result); });
    default:
      return in->SkipField(tag);
  }
}

}  // namespace

void NormalizeResponse::Clear() {
  request_id.clear();
  data_type = 0;
  hidden = 0;
  token_counts.clear();
  timings = {};
  mean.clear();
  rstd.clear();
  values.clear();
  residual_sum_values.clear();
  residual_sum.reset();
  data.reset();
}

void NormalizeStreamResponse::Clear() {
  answer = Answer::kNone;
  result.Clear();
  error_code = 0;
  error_message.clear();
  error_request_id.clear();
}

absl::Status ReadNormalizeResponse(Slices message, NormalizeResponse* response) {
  response->Clear();
  Reader in(message);
  in.ReadFields([&](uint32_t tag) { return ReadResponseField(&in, tag, response); });
  return in.status();
}

absl::Status ReadNormalizeStreamResponse(Slices message, NormalizeStreamResponse* response) {
  response->Clear();
  Reader in(message);
  in.ReadFields([&](uint32_t tag) { return ReadStreamField(&in, tag, response); });
  return in.status();
}

}  // namespace normd::wire
