// SPDX-License-Identifier: Apache-2.0
#include "to_proto.h"

#include <string>

namespace normd {
namespace {

std::string Bytes(wire::ByteRange range, wire::Slices message) {
  std::string bytes(range.size, '\0');
  wire::CopyBytes(message, range, bytes.data());
  return bytes;
}

template <typename From, typename To>
void Assign(const From& from, To* to) {
  to->Assign(from.begin(), from.end());
}

void Fill(const wire::Parameters& from, v1::Parameters* to) {
  to->set_kind(static_cast<v1::Kind>(from.kind));
  if (from.epsilon.has_value()) to->set_epsilon(*from.epsilon);
  Assign(from.gamma, to->mutable_gamma());
  Assign(from.beta, to->mutable_beta());
  to->set_gamma_offset(from.gamma_offset);
  Assign(from.running_mean, to->mutable_running_mean());
  Assign(from.running_var, to->mutable_running_var());
}

void Fill(const wire::Timings& from, v1::ServerTimings* to) {
  to->set_queue_ns(from.queue_ns);
  to->set_compute_ns(from.compute_ns);
  to->set_total_ns(from.total_ns);
}

}  // namespace

v1::NormalizeRequest ToProto(const wire::NormalizeRequest& request, wire::Slices message) {
  v1::NormalizeRequest out;
  out.set_layer(request.layer);
  if (request.has_parameters) Fill(request.parameters, out.mutable_parameters());
  out.set_request_id(request.request_id);
  out.set_data_type(static_cast<v1::DataType>(request.data_type));
  out.set_hidden(request.hidden);
  Assign(request.token_counts, out.mutable_token_counts());
  Assign(request.outputs, out.mutable_outputs());
  Assign(request.values, out.mutable_values());
  Assign(request.residual_values, out.mutable_residual_values());
  if (request.residual.has_value()) out.set_residual(Bytes(*request.residual, message));
  if (request.data.has_value()) out.set_data(Bytes(*request.data, message));
  return out;
}

v1::NormalizeResponse ToProto(const wire::NormalizeResponse& response, wire::Slices message) {
  v1::NormalizeResponse out;
  out.set_request_id(response.request_id);
  out.set_data_type(static_cast<v1::DataType>(response.data_type));
  out.set_hidden(response.hidden);
  Assign(response.token_counts, out.mutable_token_counts());
  Fill(response.timings, out.mutable_timings());
  Assign(response.mean, out.mutable_mean());
  Assign(response.rstd, out.mutable_rstd());
  Assign(response.values, out.mutable_values());
  Assign(response.residual_sum_values, out.mutable_residual_sum_values());
  if (response.residual_sum.has_value()) out.set_residual_sum(Bytes(*response.residual_sum, message));
  if (response.data.has_value()) out.set_data(Bytes(*response.data, message));
  return out;
}

v1::NormalizeStreamResponse ToProto(const wire::NormalizeStreamResponse& response, wire::Slices message) {
  v1::NormalizeStreamResponse out;
  // Each member is converted whatever the answer is, so that one that should be empty and is not would show.
  if (response.answer == wire::Answer::kResult || response.result.data.has_value()) {
    *out.mutable_result() = ToProto(response.result, message);
  }
  if (response.answer == wire::Answer::kError || response.error_code != 0) {
    out.mutable_error()->set_code(response.error_code);
    out.mutable_error()->set_message(response.error_message);
    out.mutable_error()->set_request_id(response.error_request_id);
  }
  return out;
}

}  // namespace normd
