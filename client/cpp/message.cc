// SPDX-License-Identifier: Apache-2.0
#include "message.h"

#include <bit>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "normd/v1/normalizer.pb.h"
#include "wire/reader.h"

namespace normd {
namespace {

static_assert(std::endian::native == std::endian::little, "float32 goes on the wire as it lies in memory");

constexpr uint32_t kData = 15;
constexpr uint64_t kMaxMessage = INT32_MAX;

void SetParameters(const LayerParameters& from, v1::Parameters* to) {
  to->set_kind(v1::LAYER_NORM);
  to->set_epsilon(from.epsilon);
  to->mutable_gamma()->Add(from.gamma.begin(), from.gamma.end());
  to->mutable_beta()->Add(from.beta.begin(), from.beta.end());
}

void SetOutputs(const Batch& batch, v1::NormalizeRequest* request) {
  if (!batch.want_mean && !batch.want_rstd) return;
  request->add_outputs(v1::NORMALIZED);
  if (batch.want_mean) request->add_outputs(v1::MEAN);
  if (batch.want_rstd) request->add_outputs(v1::RSTD);
}

v1::NormalizeRequest RequestWithoutData(const Batch& batch) {
  v1::NormalizeRequest request;
  if (batch.layer.empty()) {
    SetParameters(batch.parameters, request.mutable_parameters());
  } else {
    request.set_layer(std::string(batch.layer));
  }
  request.set_request_id(std::string(batch.request_id));
  request.set_hidden(batch.hidden);
  request.mutable_token_counts()->Add(batch.token_counts.begin(), batch.token_counts.end());
  SetOutputs(batch, &request);
  return request;
}

void AppendVarint(uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>(value | 0x80));
  out->push_back(static_cast<char>(value));
}

std::string EncodeHead(const Batch& batch) {
  std::string head = RequestWithoutData(batch).SerializeAsString();
  AppendVarint(wire::Tag(kData, wire::WireType::kBytes), &head);
  AppendVarint(batch.tokens.size_bytes(), &head);
  return head;
}

using Owner = std::shared_ptr<const void>;

// gRPC calls this when the transport has let go of the bytes.
void ReleaseOwner(void* owner) { delete static_cast<Owner*>(owner); }

// gRPC's slices are never written to; only their interface lacks the const.
grpc::Slice TokensSlice(const Batch& batch) {
  if (!batch.owner) return {batch.tokens.data(), batch.tokens.size_bytes()};
  auto owner = std::make_unique<Owner>(batch.owner);
  return {const_cast<float*>(batch.tokens.data()), batch.tokens.size_bytes(), ReleaseOwner, owner.release()};
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
  const uint64_t rows = expected.bytes / sizeof(float) / static_cast<uint64_t>(response.hidden);
  absl::Status status = CheckSize("bytes of tokens", expected.bytes, response.data ? response.data->size : 0);
  status.Update(CheckSize("means", expected.mean ? rows : 0, response.mean.size()));
  status.Update(CheckSize("rstds", expected.rstd ? rows : 0, response.rstd.size()));
  return status;
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
  // Gamma, beta and the counts are looked at before protobuf copies them; their encoded size is at most this.
  const uint64_t size = batch.tokens.size_bytes() + batch.parameters.gamma.size_bytes() +
                        batch.parameters.beta.size_bytes() + 10 * batch.token_counts.size() +
                        batch.layer.size() + batch.request_id.size() + 256;
  if (size > kMaxMessage) {
    return absl::InvalidArgumentError(
        absl::StrCat("the request needs up to ", size, " bytes; a message holds at most ", kMaxMessage));
  }
  const grpc::Slice slices[] = {grpc::Slice(EncodeHead(batch)), TokensSlice(batch)};
  return grpc::ByteBuffer(slices, 2);
}

absl::Status TakeResult(wire::Slices message, const Expected& expected, wire::NormalizeResponse* response,
                        Normalized* result) {
  if (absl::Status status = CheckFit(expected, *response); !status.ok()) return status;
  result->tokens.resize(expected.bytes / sizeof(float));
  if (expected.bytes > 0) wire::CopyBytes(message, *response->data, result->tokens.data());
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
