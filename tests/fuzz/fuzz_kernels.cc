// SPDX-License-Identifier: Apache-2.0
//
// Every target of the dispatch table against scalar: rows of any bits, which must come out with the same
// bits.

#include <fuzzer/FuzzedDataProvider.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "normd/norm.h"

namespace {

// Bytes of exactly the size needed, at an odd address.
class OddBytes {
 public:
  explicit OddBytes(size_t size) : memory_(size + 1) {}
  void* data() { return memory_.data() + 1; }
  size_t size() const { return memory_.size() - 1; }

 private:
  std::vector<char> memory_;
};

struct Call {
  normd::NormParameters parameters;
  int64_t rows;
  OddBytes x;
};

struct Answer {
  OddBytes y;
  std::vector<float> mean;
  std::vector<float> rstd;
};

[[noreturn]] void Die(std::string_view target, std::string_view what) {
  std::fprintf(stderr, "%.*s: %.*s\n", static_cast<int>(target.size()), target.data(),
               static_cast<int>(what.size()), what.data());
  std::abort();
}

Answer Run(Call* call, const normd::Target& target) {
  const auto rows = static_cast<size_t>(call->rows);
  Answer answer = {OddBytes(call->x.size()), std::vector<float>(rows), std::vector<float>(rows)};
  const absl::StatusOr<normd::Norm> norm = normd::Norm::Create(call->parameters, {.target = &target});
  if (!norm.ok()) Die(target.name, norm.status().ToString());
  normd::NormOperands operands;
  operands.rows = call->rows;
  operands.x.data = call->x.data();
  operands.y.data = answer.y.data();
  operands.mean = answer.mean.data();
  operands.rstd = answer.rstd.data();
  if (const absl::Status status = norm->Run(operands); !status.ok()) Die(target.name, status.ToString());
  return answer;
}

bool SameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

void Compare(std::string_view target, Answer* scalar, Answer* other) {
  if (std::memcmp(scalar->y.data(), other->y.data(), scalar->y.size()) != 0)
    Die(target, "other bits than scalar in y");
  if (!SameBits(scalar->mean, other->mean)) Die(target, "other bits than scalar in mean");
  if (!SameBits(scalar->rstd, other->rstd)) Die(target, "other bits than scalar in rstd");
}

// As many bytes as are left, again and again, so that a short input fills wide rows.
void Fill(const std::vector<uint8_t>& bytes, size_t size, void* to) {
  auto* out = static_cast<uint8_t*>(to);
  for (size_t i = 0; i < size && !bytes.empty(); ++i) out[i] = bytes[i % bytes.size()];
}

std::vector<float> Parameter(FuzzedDataProvider* input, size_t hidden) {
  if (input->ConsumeBool()) return {};
  std::vector<float> values(hidden, 1.0F);
  const std::vector<uint8_t> bytes =
      input->ConsumeBytes<uint8_t>(input->ConsumeIntegralInRange<size_t>(0, 64));
  if (!bytes.empty()) Fill(bytes, hidden * sizeof(float), values.data());
  return values;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr double kEpsilons[] = {1e-5, 0, 1e-12, 1e-45, 1, 3e38};
  FuzzedDataProvider input(data, size);
  const auto hidden = input.ConsumeIntegralInRange<size_t>(1, 700);
  const auto rows = input.ConsumeIntegralInRange<size_t>(0, 3);
  const std::vector<float> gamma = Parameter(&input, hidden);
  const std::vector<float> beta = Parameter(&input, hidden);
  Call call = {{static_cast<int64_t>(hidden), gamma, beta, input.PickValueInArray(kEpsilons)},
               static_cast<int64_t>(rows),
               OddBytes(rows * hidden * sizeof(float))};
  Fill(input.ConsumeRemainingBytes<uint8_t>(), call.x.size(), call.x.data());

  const std::span<const normd::Target> targets = normd::AllTargets();
  Answer scalar = Run(&call, targets.back());
  for (const normd::Target& target : targets.first(targets.size() - 1)) {
    if (!target.runs_here()) continue;
    Answer other = Run(&call, target);
    Compare(target.name, &scalar, &other);
  }
  return 0;
}
