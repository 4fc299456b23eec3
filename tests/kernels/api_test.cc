// SPDX-License-Identifier: Apache-2.0
//
// The public headers' errors, and that Run allocates nothing.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>

#include "harness.h"

namespace {
std::atomic<int64_t> allocations{0};

void* Counted(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
}  // namespace

void* operator new(std::size_t size) { return Counted(size); }
void* operator new[](std::size_t size) { return Counted(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace normd {
namespace {

constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();

// InvalidArgument, whose text has all of `parts`.
testing::AssertionResult Refused(const absl::Status& status, const std::vector<std::string>& parts) {
  if (status.code() != absl::StatusCode::kInvalidArgument)
    return testing::AssertionFailure() << "got " << status;
  for (const std::string& part : parts) {
    if (status.message().find(part) == absl::string_view::npos) {
      return testing::AssertionFailure() << "no \"" << part << "\" in: " << status;
    }
  }
  return testing::AssertionSuccess();
}

absl::Status CreateStatus(const NormParameters& parameters) {
  return Norm::Create(parameters, {.target = &Scalar()}).status();
}

TEST(CreateTest, HiddenBelowOne) {
  EXPECT_TRUE(Refused(CreateStatus({.hidden = 0, .gamma = {}, .beta = {}}), {"hidden", "1", "0"}));
  EXPECT_TRUE(Refused(CreateStatus({.hidden = -7, .gamma = {}, .beta = {}}), {"hidden", "1", "-7"}));
}

TEST(CreateTest, GammaOrBetaOfAnotherLength) {
  const std::vector<float> short_one(767);
  const std::vector<float> long_one(769);
  EXPECT_TRUE(
      Refused(CreateStatus({.hidden = 768, .gamma = short_one, .beta = {}}), {"gamma", "767", "768"}));
  EXPECT_TRUE(Refused(CreateStatus({.hidden = 768, .gamma = {}, .beta = long_one}), {"beta", "769", "768"}));
}

TEST(CreateTest, Epsilon) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double bad :
       {-1e-5, -kInfinity, kInfinity, std::numeric_limits<double>::quiet_NaN(), 1e300, -1e-300}) {
    EXPECT_TRUE(Refused(CreateStatus({.hidden = 4, .gamma = {}, .beta = {}, .epsilon = bad}), {"epsilon"}))
        << bad;
  }
  for (const double good : {0.0, -0.0, 1e-300, 1e-12, 1.0, 3e38}) {
    EXPECT_TRUE(CreateStatus({.hidden = 4, .gamma = {}, .beta = {}, .epsilon = good}).ok()) << good;
  }
}

TEST(CreateTest, ErrorsNameTheEpsilon) {
  EXPECT_TRUE(Refused(CreateStatus({.hidden = 4, .gamma = {}, .beta = {}, .epsilon = -0.25}), {"-0.25"}));
}

// A layer of four values, rows and outputs for three rows, all refused unless a test says otherwise.
class RunTest : public testing::Test {
 protected:
  static constexpr int64_t kHidden = 4;
  static constexpr int64_t kRows = 3;

  NormOperands Good() {
    return {.rows = kRows, .x = {x_.data()}, .y = {y_.data()}, .mean = mean_.data(), .rstd = rstd_.data()};
  }
  absl::Status Run(const NormOperands& operands) { return layer_.Run(operands); }
  // Refused, and nothing was written.
  testing::AssertionResult RefusedUntouched(const NormOperands& operands,
                                            const std::vector<std::string>& parts) {
    const std::vector<std::vector<float>> before = {x_, y_, mean_, rstd_, gamma_, beta_};
    const testing::AssertionResult refused = Refused(Run(operands), parts);
    if (!refused) return refused;
    if (before != std::vector<std::vector<float>>{x_, y_, mean_, rstd_, gamma_, beta_}) {
      return testing::AssertionFailure() << "refused, but something was written";
    }
    return testing::AssertionSuccess();
  }

  std::vector<float> x_ = std::vector<float>(64, 1.5F);
  std::vector<float> y_ = std::vector<float>(64, 2.5F);
  std::vector<float> mean_ = std::vector<float>(8, 3.5F);
  std::vector<float> rstd_ = std::vector<float>(8, 4.5F);
  std::vector<float> gamma_ = std::vector<float>(kHidden, 1.0F);
  std::vector<float> beta_ = std::vector<float>(kHidden, 1.0F);
  Norm layer_ = MakeLayer({.hidden = kHidden, .gamma = gamma_, .beta = beta_, .epsilon = 1e-5}, Scalar());
};

TEST_F(RunTest, GoodOperandsPass) { EXPECT_TRUE(Run(Good()).ok()); }

TEST_F(RunTest, HiddenIsTheLayers) { EXPECT_EQ(layer_.hidden(), kHidden); }

TEST_F(RunTest, NegativeRows) {
  NormOperands operands = Good();
  operands.rows = -1;
  EXPECT_TRUE(RefusedUntouched(operands, {"rows", "0", "-1"}));
  operands.rows = std::numeric_limits<int64_t>::min();
  EXPECT_TRUE(RefusedUntouched(operands, {"rows"}));
}

TEST_F(RunTest, StrideBelowHidden) {
  NormOperands operands = Good();
  operands.x.stride = 3;
  EXPECT_TRUE(RefusedUntouched(operands, {"x", "3", "4"}));
  operands = Good();
  operands.y.stride = -5;
  EXPECT_TRUE(RefusedUntouched(operands, {"y", "-5", "4"}));
}

TEST_F(RunTest, SizesThatOverflow) {
  for (const int64_t rows : {int64_t{1} << 62, int64_t{1} << 60, kLargest, kLargest / 16 + 1}) {
    NormOperands operands = Good();
    operands.rows = rows;
    EXPECT_TRUE(RefusedUntouched(operands, {std::to_string(rows), "4"})) << rows;
  }
  for (const int64_t stride : {kLargest, kLargest / 4, kLargest / 8}) {
    NormOperands operands = Good();
    operands.x.stride = stride;
    EXPECT_TRUE(RefusedUntouched(operands, {"x", std::to_string(stride), "3"})) << stride;
    operands = Good();
    operands.y.stride = stride;
    EXPECT_TRUE(RefusedUntouched(operands, {"y", std::to_string(stride), "3"})) << stride;
  }
}

TEST_F(RunTest, MissingAddress) {
  NormOperands operands = Good();
  operands.x.data = nullptr;
  EXPECT_TRUE(RefusedUntouched(operands, {"x", "3"}));
  operands = Good();
  operands.y.data = nullptr;
  EXPECT_TRUE(RefusedUntouched(operands, {"y", "3"}));
}

TEST_F(RunTest, YOverlapsX) {
  NormOperands operands = Good();
  auto* bytes = reinterpret_cast<std::byte*>(x_.data()) + 16 * sizeof(float);
  operands.x.data = bytes;
  const auto row_bytes = static_cast<std::ptrdiff_t>(kHidden * sizeof(float));
  for (const std::ptrdiff_t shift :
       {row_bytes, -row_bytes, std::ptrdiff_t{1}, std::ptrdiff_t{-1}, 3 * row_bytes - 1, 1 - 3 * row_bytes}) {
    operands.y.data = bytes + shift;
    EXPECT_TRUE(RefusedUntouched(operands, {"y", "x", "overlap"})) << shift;
  }
  for (const std::ptrdiff_t shift : {3 * row_bytes, -3 * row_bytes, std::ptrdiff_t{0}}) {
    operands.y.data = bytes + shift;
    EXPECT_TRUE(Run(operands).ok()) << shift;
  }
}

// The same address is not the same rows where the strides differ.
TEST_F(RunTest, YIsXAtAnotherStride) {
  NormOperands operands = Good();
  operands.y.data = x_.data();
  operands.y.stride = kHidden + 1;
  EXPECT_TRUE(RefusedUntouched(operands, {"y", "x", "overlap"}));
  operands.x.stride = kHidden + 1;
  EXPECT_TRUE(Run(operands).ok());
}

TEST_F(RunTest, MeanOrRstdOverlapsAnything) {
  float* const places[] = {x_.data() + kRows * kHidden - 1, y_.data() + kRows * kHidden - 1, gamma_.data(),
                           beta_.data()};
  for (float* place : places) {
    NormOperands operands = Good();
    operands.mean = place;
    EXPECT_TRUE(RefusedUntouched(operands, {"mean", "overlap"}));
    operands = Good();
    operands.rstd = place;
    EXPECT_TRUE(RefusedUntouched(operands, {"rstd", "overlap"}));
  }
  NormOperands operands = Good();
  operands.rstd = operands.mean + kRows - 1;
  EXPECT_TRUE(RefusedUntouched(operands, {"mean", "rstd", "overlap"}));
}

TEST_F(RunTest, YOverlapsParameters) {
  NormOperands operands = Good();
  operands.y.data = gamma_.data();
  EXPECT_TRUE(RefusedUntouched(operands, {"y", "gamma", "overlap"}));
  operands.y.data = beta_.data();
  EXPECT_TRUE(RefusedUntouched(operands, {"y", "beta", "overlap"}));
}

TEST(AllocationTest, TheCounterCounts) {
  const int64_t before = allocations;
  delete new int(1);
  ::operator delete(::operator new(8));
  EXPECT_GT(allocations, before);
}

TEST(AllocationTest, RunAllocatesNothing) {
  Random random(60);
  for (const Target* target : TargetsHere()) {
    for (const int64_t hidden : {1, 64, 771, 16384}) {
      std::vector<float> x = MixedRows(kRowKinds, hidden, random);
      OwnedParameters parameters = MakeParameters(3, hidden, random);
      parameters.gamma[0] = std::numeric_limits<float>::infinity();
      const Norm layer = MakeLayer(parameters.View(hidden), *target);
      const int64_t before = allocations;
      const bool ok = layer.Run({.rows = kRowKinds, .x = {x.data()}, .y = {x.data()}}).ok();
      EXPECT_EQ(allocations, before) << target->name << ", hidden " << hidden;
      EXPECT_TRUE(ok);
    }
  }
}

}  // namespace
}  // namespace normd
