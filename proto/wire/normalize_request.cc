// SPDX-License-Identifier: Apache-2.0
#include "wire/normalize_request.h"

#include "wire/reader.h"

namespace normd::wire {
namespace {

constexpr auto kVarint = WireType::kVarint;
constexpr auto kFixed32 = WireType::kFixed32;
constexpr auto kFixed64 = WireType::kFixed64;
constexpr auto kBytes = WireType::kBytes;

// Gamma and its like take no more memory than the message does, so they have no limit of their own.
bool ReadParametersField(Reader* in, uint32_t tag, Parameters* parameters) {
  switch (tag) {
    case Tag(1, kVarint):
      return in->ReadNumber(&parameters->kind);
    case Tag(2, kFixed64):
      return in->ReadDouble(&parameters->epsilon.emplace());
    case Tag(3, kBytes):
    case Tag(3, kFixed32):
      return in->ReadFloats(tag, &parameters->gamma);
    case Tag(4, kBytes):
    case Tag(4, kFixed32):
      return in->ReadFloats(tag, &parameters->beta);
    case Tag(5, kFixed32):
      return in->ReadFloat(&parameters->gamma_offset);
    case Tag(6, kBytes):
    case Tag(6, kFixed32):
      return in->ReadFloats(tag, &parameters->running_mean);
    case Tag(7, kBytes):
    case Tag(7, kFixed32):
      return in->ReadFloats(tag, &parameters->running_var);
    default:
      return in->SkipField(tag);
  }
}

bool ReadParameters(Reader* in, NormalizeRequest* request) {
  request->has_parameters = true;
  return in->ReadMessage([=](uint32_t tag) { return ReadParametersField(in, tag, &request->parameters); });
}

bool ReadRequestField(Reader* in, uint32_t tag, const ReadLimits& limits, NormalizeRequest* request) {
  switch (tag) {
    case Tag(1, kBytes):
      return in->ReadString(&request->layer);
    case Tag(2, kBytes):
      return ReadParameters(in, request);
    case Tag(3, kBytes):
      return in->ReadString(&request->request_id);
    case Tag(4, kVarint):
      return in->ReadNumber(&request->data_type);
    case Tag(5, kVarint):
      return in->ReadNumber(&request->hidden);
    case Tag(6, kBytes):
    case Tag(6, kVarint):
      return in->ReadNumbers(tag, limits.max_sequences, "token_counts", &request->token_counts);
    case Tag(7, kBytes):
    case Tag(7, kVarint):
      return in->ReadNumbers(tag, limits.max_outputs, "outputs", &request->outputs);
    case Tag(8, kBytes):
    case Tag(8, kFixed32):
      return in->ReadFloats(tag, &request->values);
    case Tag(9, kBytes):
    case Tag(9, kFixed32):
      return in->ReadFloats(tag, &request->residual_values);
    case Tag(14, kBytes):
      return in->ReadRange(&request->residual);
    case Tag(15, kBytes):
      return in->ReadRange(&request->data);
    default:
      return in->SkipField(tag);
  }
}

}  // namespace

void Parameters::Clear() {
  kind = 0;
  epsilon.reset();
  gamma.clear();
  beta.clear();
  gamma_offset = 0;
  running_mean.clear();
  running_var.clear();
}

void NormalizeRequest::Clear() {
  layer.clear();
  has_parameters = false;
  parameters.Clear();
  request_id.clear();
  data_type = 0;
  hidden = 0;
  token_counts.clear();
  outputs.clear();
  values.clear();
  residual_values.clear();
  residual.reset();
  data.reset();
}

absl::Status ReadNormalizeRequest(Slices message, const ReadLimits& limits, NormalizeRequest* request) {
  request->Clear();
  Reader in(message);
  in.ReadFields([&](uint32_t tag) { return ReadRequestField(&in, tag, limits, request); });
  return in.status();
}

}  // namespace normd::wire
