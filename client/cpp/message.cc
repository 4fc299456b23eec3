// SPDX-License-Identifier: Apache-2.0
#include "message.h"

#include <bit>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "normd/v1/normalizer.pb.h"
#include "wire/reader.h"

namespace normd {
namespace {

static_assert(std::endian::native == std::endian::little, "values go on the wire as they lie in memory");

constexpr uint32_t kResidual = 14;
constexpr uint32_t kData = 15;
constexpr uint64_t kMaxMessage = INT32_MAX;

void SetParameters(const LayerParameters& from, v1::Parameters* to) {
  to->set_kind(static_cast<v1::Kind>(from.kind));
  to->set_epsilon(from.epsilon);
  to->set_gamma_offset(from.gamma_offset);
  to->mutable_gamma()->Add(from.gamma.begin(), from.gamma.end());
  to->mutable_beta()->Add(from.beta.begin(), from.beta.end());
  to->mutable_running_mean()->Add(from.running_mean.begin(), from.running_mean.end());
  to->mutable_running_var()->Add(from.running_var.begin(), from.running_var.end());
}

void SetOutputs(const Batch& batch, v1::NormalizeRequest* request) {
  if (!batch.want_mean && !batch.want_rstd && !batch.want_residual_sum) return;
  request->add_outputs(v1::NORMALIZED);
  if (batch.want_mean) request->add_outputs(v1::MEAN);
  if (batch.want_rstd) request->add_outputs(v1::RSTD);
  if (batch.want_residual_sum) request->add_outputs(v1::RESIDUAL_SUM);
}

v1::NormalizeRequest RequestWithoutPayloads(const Batch& batch) {
  v1::NormalizeRequest request;
  if (batch.layer.empty()) {
    SetParameters(batch.parameters, request.mutable_parameters());
  } else {
    request.set_layer(std::string(batch.layer));
  }
  request.set_request_id(std::string(batch.request_id));
  request.set_data_type(static_cast<v1::DataType>(batch.data_type));
  request.set_hidden(batch.hidden);
  request.mutable_token_counts()->Add(batch.token_counts.begin(), batch.token_counts.end());
  SetOutputs(batch, &request);
  return request;
}

void AppendVarint(uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>(value | 0x80));
  out->push_back(static_cast<char>(value));
}

void AppendLength(uint32_t number, const Values& payload, std::string* out) {
  AppendVarint(wire::Tag(number, wire::WireType::kBytes), out);
  AppendVarint(payload.bytes().size(), out);
}

// Of a batch without rows the residual is empty, and still there for its sum.
bool HasResidual(const Batch& batch) { return batch.want_residual_sum || !batch.residual.bytes().empty(); }

using Owner = std::shared_ptr<const void>;

// gRPC calls this when the transport has let go of the bytes.
void ReleaseOwner(void* owner) { delete static_cast<Owner*>(owner); }

// gRPC's slices are never written to; only their interface lacks the const.
grpc::Slice PayloadSlice(const Values& payload, const Owner& owner) {
  const std::span<const std::byte> bytes = payload.bytes();
  if (!owner || bytes.empty()) return {bytes.data(), bytes.size()};
  auto kept = std::make_unique<Owner>(owner);
  return {const_cast<std::byte*>(bytes.data()), bytes.size(), ReleaseOwner, kept.release()};
}

absl::Status CheckSize(const char* what, uint64_t expected, uint64_t got) {
  if (got == expected) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("the answer has ", got, " ", what, "; expected ", expected, " as in the request"));
}

// A server that is not ours may send anything, and callers index what they asked for.
absl::Status CheckFit(const Expected& expected, const wire::NormalizeResponse& response) {
  if (response.hidden < 1) {
    return absl::InternalError(
        absl::StrCat("the answer has hidden ", response.hidden, "; expected at least 1"));
  }
  const uint64_t row_bytes =
      static_cast<uint64_t>(BytesOf(expected.data_type)) * static_cast<uint64_t>(response.hidden);
  const uint64_t rows = expected.bytes / row_bytes;
  absl::Status status = CheckSize("bytes of tokens", expected.bytes, response.data ? response.data->size : 0);
  status.Update(CheckSize("bytes of residual sum", expected.residual_sum ? expected.bytes : 0,
                          response.residual_sum ? response.residual_sum->size : 0));
  status.Update(CheckSize("means", expected.mean ? rows : 0, response.mean.size()));
  status.Update(CheckSize("rstds", expected.rstd ? rows : 0, response.rstd.size()));
  return status;
}

// Into the list of the data type; the other one is left empty.
void CopyPayload(wire::Slices message, const std::optional<wire::ByteRange>& payload, DataType data_type,
                 std::vector<float>* floats, std::vector<uint16_t>* halves) {
  const uint64_t bytes = payload ? payload->size : 0;
  const bool is_float = data_type == DataType::kFloat32;
  floats->resize(is_float ? bytes / sizeof(float) : 0);
  halves->resize(is_float ? 0 : bytes / sizeof(uint16_t));
  void* const to = is_float ? static_cast<void*>(floats->data()) : halves->data();
  if (bytes > 0) wire::CopyBytes(message, *payload, to);
}

// At most what the request takes, found before protobuf copies any of it.
uint64_t LargestSize(const Batch& batch) {
  const LayerParameters& parameters = batch.parameters;
  return batch.tokens.bytes().size() + batch.residual.bytes().size() + parameters.gamma.size_bytes() +
         parameters.beta.size_bytes() + parameters.running_mean.size_bytes() +
         parameters.running_var.size_bytes() + 10 * batch.token_counts.size() + batch.layer.size() +
         batch.request_id.size() + 256;
}

}  // namespace

void MessageView::Close() {
  slices_.clear();
  views_.clear();
}

absl::Status MessageView::Open(const grpc::ByteBuffer& message) {
  Close();
  if (message.Valid() && !message.Dump(&slices_).ok())
    return absl::InternalError("the answer cannot be unpacked");
  for (const grpc::Slice& slice : slices_) {
    views_.emplace_back(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return absl::OkStatus();
}

absl::StatusOr<grpc::ByteBuffer> EncodeBatch(const Batch& batch) {
  if (BytesOf(batch.data_type) == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a data_type from 1 (float32) to 3 (bfloat16), got ",
                     static_cast<int32_t>(batch.data_type)));
  }
  if (const uint64_t size = LargestSize(batch); size > kMaxMessage) {
    return absl::InvalidArgumentError(
        absl::StrCat("the request needs up to ", size, " bytes; a message holds at most ", kMaxMessage));
  }
  std::vector<grpc::Slice> slices;
  std::string head = RequestWithoutPayloads(batch).SerializeAsString();
  if (HasResidual(batch)) {
    AppendLength(kResidual, batch.residual, &head);
    slices = {grpc::Slice(head), PayloadSlice(batch.residual, batch.owner)};
    head.clear();
  }
  AppendLength(kData, batch.tokens, &head);
  slices.emplace_back(head);
  slices.push_back(PayloadSlice(batch.tokens, batch.owner));
  return grpc::ByteBuffer(slices.data(), slices.size());
}

absl::Status TakeResult(wire::Slices message, const Expected& expected, wire::NormalizeResponse* response,
                        Normalized* result) {
  if (absl::Status status = CheckFit(expected, *response); !status.ok()) return status;
  CopyPayload(message, response->data, expected.data_type, &result->tokens, &result->half_tokens);
  CopyPayload(message, response->residual_sum, expected.data_type, &result->residual_sum,
              &result->half_residual_sum);
  result->mean.swap(response->mean);
  result->rstd.swap(response->rstd);
  result->token_counts.swap(response->token_counts);
  result->request_id.swap(response->request_id);
  result->hidden = response->hidden;
  result->timings.server_queue = response->timings.queue_ns;
  result->timings.server_compute = response->timings.compute_ns;
  result->timings.server_total = response->timings.total_ns;
  return absl::OkStatus();
}

grpc::ByteBuffer EncodeMessage(const google::protobuf::MessageLite& message) {
  const grpc::Slice slice(message.SerializeAsString());
  return grpc::ByteBuffer(&slice, 1);
}

absl::Status DecodeMessage(const grpc::ByteBuffer& bytes, google::protobuf::MessageLite* message) {
  grpc::Slice slice;
  if (!bytes.DumpToSingleSlice(&slice).ok() ||
      !message->ParseFromArray(slice.begin(), static_cast<int>(slice.size()))) {
    return absl::InternalError(absl::StrCat("the answer is not a ", message->GetTypeName()));
  }
  return absl::OkStatus();
}

}  // namespace normd
