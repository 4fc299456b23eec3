// SPDX-License-Identifier: Apache-2.0
//
// Every target of the dispatch table against scalar: any kind, type and operands, rows of any bits. scalar
// gets them one after the other at odd addresses; the others as the input says, in place, apart, by tasks or
// past the caches. They must come out with the same bits.

#include <fuzzer/FuzzedDataProvider.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "normd/norm.h"

namespace {

using Bytes = std::vector<uint8_t>;

[[noreturn]] void Die(std::string_view target, std::string_view what) {
  std::fprintf(stderr, "%.*s: %.*s\n", static_cast<int>(target.size()), target.data(),
               static_cast<int>(what.size()), what.data());
  std::abort();
}

// What a call has, whoever runs it.
struct Call {
  normd::NormParameters parameters;
  std::vector<float> gamma, beta, running_mean, running_var, given_mean, given_rstd;
  normd::DataType data_type = normd::DataType::kFloat32;
  size_t rows = 0;
  bool has_residual = false, wants_sum = false, wants_mean = false, wants_rstd = false;
  Bytes x, residual;  // row after row

  size_t hidden() const { return static_cast<size_t>(parameters.hidden); }
  size_t row_bytes() const { return hidden() * static_cast<size_t>(normd::BytesOf(data_type)); }
};

// How it is run.
struct Way {
  size_t gap = 0;   // values between rows
  int y_place = 0;  // on memory of its own, x, residual
  int sum_place = 0;
  normd::NormOptions options = {};
};

// Rows of exactly the bytes needed, at an odd address.
class Rows {
 public:
  Rows(const Call& call, const Way& way, const Bytes& values)
      : call_(call), stride_(call.hidden() + way.gap), memory_(1 + Size(), 0xA5) {
    for (size_t r = 0; r < call.rows && !values.empty(); ++r)
      std::memcpy(Row(r), values.data() + r * call.row_bytes(), call.row_bytes());
  }

  uint8_t* Row(size_t r) { return memory_.data() + 1 + r * StrideBytes(); }
  template <class Operand>
  Operand View() {
    return {Row(0), static_cast<int64_t>(stride_)};
  }
  // The rows without what lies between them, which must be untouched.
  Bytes Values() {
    Bytes values;
    for (size_t r = 0; r < call_.rows; ++r) values.insert(values.end(), Row(r), Row(r) + call_.row_bytes());
    for (size_t r = 0; r + 1 < call_.rows; ++r) {
      for (const uint8_t* p = Row(r) + call_.row_bytes(); p < Row(r + 1); ++p) {
        if (*p != 0xA5) Die("", "something was written between rows");
      }
    }
    return values;
  }

 private:
  size_t StrideBytes() const { return stride_ * static_cast<size_t>(normd::BytesOf(call_.data_type)); }
  size_t Size() const { return call_.rows == 0 ? 0 : (call_.rows - 1) * StrideBytes() + call_.row_bytes(); }

  const Call& call_;
  size_t stride_;
  Bytes memory_;
};

struct Answer {
  Bytes y, sum;
  std::vector<float> mean, rstd;
};

const float* DataOrNull(const std::vector<float>& values) { return values.empty() ? nullptr : values.data(); }

Answer Run(const Call& call, const Way& way) {
  const std::string_view target = way.options.target->name;
  Rows x(call, way, call.x), residual(call, way, call.residual), y(call, way, {}), sum(call, way, {});
  Rows* const places[] = {nullptr, &x, &residual};
  Rows& y_rows = way.y_place == 0 ? y : *places[way.y_place];
  Rows& sum_rows = way.sum_place == 0 ? sum : *places[way.sum_place];
  Answer answer = {.mean = std::vector<float>(call.wants_mean ? call.rows : 0),
                   .rstd = std::vector<float>(call.wants_rstd ? call.rows : 0)};
  normd::NormOperands operands = {.rows = static_cast<int64_t>(call.rows),
                                  .data_type = call.data_type,
                                  .x = x.View<normd::InputRows>(),
                                  .y = y_rows.View<normd::OutputRows>(),
                                  .given_mean = DataOrNull(call.given_mean),
                                  .given_rstd = DataOrNull(call.given_rstd)};
  if (call.has_residual) operands.residual = residual.View<normd::InputRows>();
  if (call.wants_sum) operands.residual_sum = sum_rows.View<normd::OutputRows>();
  if (call.wants_mean) operands.mean = answer.mean.data();
  if (call.wants_rstd) operands.rstd = answer.rstd.data();
  const absl::StatusOr<normd::Norm> norm = normd::Norm::Create(call.parameters, way.options);
  if (!norm.ok()) Die(target, norm.status().ToString());
  if (const absl::Status status = norm->Run(operands); !status.ok()) Die(target, status.ToString());
  answer.y = y_rows.Values();
  if (call.wants_sum) answer.sum = sum_rows.Values();
  return answer;
}

template <class T>
bool SameBits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

void Compare(std::string_view target, const Answer& scalar, const Answer& other) {
  if (!SameBits(scalar.y, other.y)) Die(target, "other bits than scalar in y");
  if (!SameBits(scalar.sum, other.sum)) Die(target, "other bits than scalar in residual_sum");
  if (!SameBits(scalar.mean, other.mean)) Die(target, "other bits than scalar in mean");
  if (!SameBits(scalar.rstd, other.rstd)) Die(target, "other bits than scalar in rstd");
}

// `size` bytes out of a few of the input, again and again, so that a short one fills wide rows.
Bytes Repeated(FuzzedDataProvider& input, size_t size, size_t most) {
  const Bytes bytes = input.ConsumeBytes<uint8_t>(input.ConsumeIntegralInRange<size_t>(0, most));
  Bytes all(size, 0);
  for (size_t i = 0; i < size && !bytes.empty(); ++i) all[i] = bytes[i % bytes.size()];
  return all;
}

std::vector<float> Floats(FuzzedDataProvider& input, size_t count) {
  const Bytes bytes = Repeated(input, count * sizeof(float), 64);
  std::vector<float> values(count);
  if (count != 0) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

void ReadParameters(FuzzedDataProvider& input, Call& call) {
  constexpr double kEpsilons[] = {1e-5, 0, 1e-12, 1e-45, 1, 3e38};
  normd::NormParameters& parameters = call.parameters;
  parameters.kind = static_cast<normd::NormKind>(input.ConsumeIntegralInRange(1, 3));
  parameters.hidden = input.ConsumeIntegralInRange<int64_t>(1, 700);
  parameters.epsilon = input.PickValueInArray(kEpsilons);
  const bool rms = parameters.kind == normd::NormKind::kRmsNorm;
  if (input.ConsumeBool()) parameters.gamma = call.gamma = Floats(input, call.hidden());
  if (input.ConsumeBool() && !rms) parameters.beta = call.beta = Floats(input, call.hidden());
  if (rms && input.ConsumeBool()) parameters.gamma_offset = 1;
  if (parameters.kind != normd::NormKind::kBatchNorm) return;
  parameters.running_mean = call.running_mean = Floats(input, call.hidden());
  call.running_var = Floats(input, call.hidden());
  for (float& variance : call.running_var) variance = std::isnan(variance) ? 1 : std::fabs(variance);
  parameters.running_var = call.running_var;
}

void ReadOperands(FuzzedDataProvider& input, Call& call) {
  const bool layer = call.parameters.kind == normd::NormKind::kLayerNorm;
  const bool batch = call.parameters.kind == normd::NormKind::kBatchNorm;
  call.data_type = static_cast<normd::DataType>(input.ConsumeIntegralInRange(1, 3));
  call.rows = input.ConsumeIntegralInRange<size_t>(0, 19);
  call.has_residual = input.ConsumeBool();
  call.wants_sum = input.ConsumeBool() && call.has_residual;
  const bool given = input.ConsumeBool() && !batch;
  if (given) call.given_rstd = Floats(input, call.rows);
  if (given && layer) call.given_mean = Floats(input, call.rows);
  call.wants_mean = input.ConsumeBool() && layer && !given;
  call.wants_rstd = input.ConsumeBool() && !batch && !given;
  if (call.has_residual) call.residual = Repeated(input, call.rows * call.row_bytes(), 512);
}

Way ReadWay(FuzzedDataProvider& input, const Call& call) {
  Way way;
  way.gap = input.ConsumeIntegralInRange<size_t>(0, 9);
  way.y_place = input.ConsumeIntegralInRange(0, call.has_residual ? 2 : 1);
  way.sum_place = input.ConsumeIntegralInRange(0, call.has_residual ? 2 : 1);
  if (way.sum_place == way.y_place) way.sum_place = 0;
  way.options.tasks = input.ConsumeIntegralInRange(1, 3);
  if (input.ConsumeBool()) way.options.streaming_bytes = 0;
  return way;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzedDataProvider input(data, size);
  Call call;
  ReadParameters(input, call);
  ReadOperands(input, call);
  Way way = ReadWay(input, call);
  call.x = Repeated(input, call.rows * call.row_bytes(), size);

  const std::span<const normd::Target> targets = normd::AllTargets();
  const Answer scalar = Run(call, {.options = {.target = &targets.back()}});
  for (const normd::Target& target : targets) {
    if (!target.runs_here()) continue;
    way.options.target = &target;
    Compare(target.name, scalar, Run(call, way));
  }
  return 0;
}
