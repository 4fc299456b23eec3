// SPDX-License-Identifier: Apache-2.0
//
// Which operands may share memory: what is written meets nothing else, but for y and residual_sum exactly on
// x or exactly on residual.

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "harness.h"
#include "refusal.h"

namespace normd {
namespace {

constexpr int64_t kHidden = 4;
constexpr int64_t kRows = 3;
constexpr std::ptrdiff_t kBytes = kHidden * kRows * static_cast<std::ptrdiff_t>(sizeof(float));

// One operand of a call: how to read its address and to set it.
struct Operand {
  std::string name;
  std::ptrdiff_t bytes;
  std::function<const void*()> get;
  std::function<void(std::byte*)> set;
};

// Everything a call can have, in memory of its own. Inputs and outputs of rows have room around them.
class OverlapTest : public testing::Test {
 protected:
  static constexpr size_t kRoom = 256;

  const Norm& norm(NormKind kind) const { return kind == NormKind::kBatchNorm ? batch_ : layer_; }

  std::vector<Operand> Written() {
    return {Rows("y", operands_.y.data), Rows("residual_sum", operands_.residual_sum.data),
            Row("mean", operands_.mean), Row("rstd", operands_.rstd)};
  }

  template <typename Pointer>
  static Operand Rows(std::string name, Pointer& data) {
    return {std::move(name), kBytes, [&data] { return data; }, [&data](std::byte* to) { data = to; }};
  }
  static Operand Row(std::string name, float*& data) {
    return {std::move(name), kRows * 4, [&data] { return data; },
            [&data](std::byte* to) { data = reinterpret_cast<float*>(to); }};
  }
  static std::byte* Address(const void* data) {
    return const_cast<std::byte*>(static_cast<const std::byte*>(data));
  }

  // With `written` so that it just meets `other`, at either end, the call is refused and names both; one step
  // further away it passes.
  void ExpectMayNotMeet(const Norm& norm, const Operand& written, std::string other, const void* begin,
                        std::ptrdiff_t bytes) {
    std::byte* const own = Address(written.get());
    const auto step = static_cast<std::ptrdiff_t>(sizeof(float));
    for (const std::ptrdiff_t at : {step - written.bytes, bytes - step}) {
      written.set(Address(begin) + at);
      EXPECT_TRUE(Refused(norm.Run(operands_), {written.name, other, "overlap"})) << at;
    }
    for (const std::ptrdiff_t at : {-written.bytes, bytes}) {
      written.set(Address(begin) + at);
      EXPECT_TRUE(norm.Run(operands_).ok())
          << written.name << " beside " << other << ": " << norm.Run(operands_);
    }
    written.set(own);
  }

  std::vector<std::byte> memory_ = std::vector<std::byte>(16 * kRoom);
  std::byte* Place(int index) { return memory_.data() + kRoom / 2 + static_cast<size_t>(index) * kRoom; }
  float* Floats(int index) { return reinterpret_cast<float*>(Place(index)); }
  std::span<const float> Span(int index) { return {Floats(index), kHidden}; }

  NormOperands operands_{.rows = kRows,
                         .x = {Place(0)},
                         .residual = {Place(1)},
                         .y = {Place(2)},
                         .residual_sum = {Place(3)},
                         .mean = Floats(4),
                         .rstd = Floats(5)};
  Norm layer_ = MakeNorm({.hidden = kHidden, .gamma = Span(6), .beta = Span(7)}, {.target = &Scalar()});
  Norm batch_ = MakeNorm(
      {.kind = NormKind::kBatchNorm, .hidden = kHidden, .running_mean = Span(8), .running_var = Span(9)},
      {.target = &Scalar()});
};

TEST_F(OverlapTest, WhatIsWrittenMeetsNoOtherOperand) {
  ASSERT_TRUE(layer_.Run(operands_).ok());
  for (const Operand& written : Written()) {
    for (const auto& [name, begin, bytes] : {std::tuple("x", operands_.x.data, kBytes),
                                             {"residual", operands_.residual.data, kBytes},
                                             {"gamma", Place(6), std::ptrdiff_t{16}},
                                             {"beta", Place(7), std::ptrdiff_t{16}}}) {
      ExpectMayNotMeet(layer_, written, name, begin, bytes);
    }
    for (const Operand& other : Written()) {
      if (other.name != written.name) ExpectMayNotMeet(layer_, written, other.name, other.get(), other.bytes);
    }
  }
}

TEST_F(OverlapTest, WhatIsWrittenMeetsNoGivenStatistics) {
  operands_.mean = operands_.rstd = nullptr;
  operands_.given_mean = Floats(10);
  operands_.given_rstd = Floats(11);
  for (const Operand& written :
       {Rows("y", operands_.y.data), Rows("residual_sum", operands_.residual_sum.data)}) {
    ExpectMayNotMeet(layer_, written, "given_mean", Place(10), 4 * kRows);
    ExpectMayNotMeet(layer_, written, "given_rstd", Place(11), 4 * kRows);
  }
}

TEST_F(OverlapTest, WhatIsWrittenMeetsNoRunningStatistics) {
  operands_.mean = operands_.rstd = nullptr;
  for (const Operand& written :
       {Rows("y", operands_.y.data), Rows("residual_sum", operands_.residual_sum.data)}) {
    ExpectMayNotMeet(batch_, written, "running_mean", Place(8), 16);
    ExpectMayNotMeet(batch_, written, "running_var", Place(9), 16);
  }
}

// The common call has a check of its own.
TEST_F(OverlapTest, TheCommonCall) {
  operands_ = {.rows = kRows, .x = {Place(0)}, .y = {Place(2)}};
  const Operand y = Rows("y", operands_.y.data);
  ExpectMayNotMeet(layer_, y, "x", Place(0), kBytes);
  ExpectMayNotMeet(layer_, y, "gamma", Place(6), 16);
  ExpectMayNotMeet(layer_, y, "beta", Place(7), 16);
  for (const std::ptrdiff_t off : {1, -1}) {
    operands_.y.data = Place(0) + off;
    EXPECT_TRUE(Refused(layer_.Run(operands_), {"y", "x", "overlap"})) << off;
  }
}

TEST_F(OverlapTest, ExactlyOnAnInputPasses) {
  void* const x = Place(0);
  void* const residual = Place(1);
  for (const auto& [y, sum] : {std::pair(x, operands_.residual_sum.data),
                               {residual, operands_.residual_sum.data},
                               {operands_.y.data, x},
                               {operands_.y.data, residual},
                               {x, residual},
                               {residual, x}}) {
    operands_.y.data = y;
    operands_.residual_sum.data = sum;
    EXPECT_TRUE(layer_.Run(operands_).ok()) << layer_.Run(operands_);
  }
}

TEST_F(OverlapTest, BothOutputsOnOneInput) {
  for (const int place : {0, 1, 2}) {
    operands_.y.data = operands_.residual_sum.data = Place(place);
    EXPECT_TRUE(Refused(layer_.Run(operands_), {"y", "residual_sum", "overlap"})) << place;
  }
}

// The same address is not the same rows where the strides differ.
TEST_F(OverlapTest, OnAnInputAtAnotherStride) {
  operands_.y = {Place(0), kHidden + 1};
  EXPECT_TRUE(Refused(layer_.Run(operands_), {"y", "x", "overlap"}));
  operands_.x.stride = kHidden + 1;
  EXPECT_TRUE(layer_.Run(operands_).ok());
  operands_.residual_sum = {Place(1), kHidden + 2};
  EXPECT_TRUE(Refused(layer_.Run(operands_), {"residual_sum", "residual", "overlap"}));
  operands_.residual.stride = kHidden + 2;
  EXPECT_TRUE(layer_.Run(operands_).ok());
}

// What is only read may be shared.
TEST_F(OverlapTest, InputsMayOverlap) {
  operands_.residual.data = Place(0) + 8;
  EXPECT_TRUE(layer_.Run(operands_).ok());
}

}  // namespace
}  // namespace normd
