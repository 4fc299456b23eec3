// SPDX-License-Identifier: Apache-2.0
//
// A row's bits depend on the row alone: not on the batch, its place in it, addresses, strides or threads.
// Nothing outside the rows is written, and nothing outside them is read.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <thread>

#include "guarded.h"
#include "harness.h"

namespace normd {
namespace {

constexpr int64_t kWidths[] = {1, 3, 7, 16, 31, 32, 33, 50, 64, 100, 129, 255, 257, 384, 771, 1024, 2050};
constexpr std::byte kCanary{0xA5};

TEST(PlacementTest, RowAloneAndInBatches) {
  Random random(30);
  for (const Target* target : TargetsHere()) {
    for (const int64_t hidden : kWidths) {
      const OwnedParameters parameters = MakeParameters(3, hidden, random);
      for (const int64_t rows : {1, 255, 257}) {
        const std::vector<float> x = MixedRows(rows, hidden, random);
        const Bits batch = Normalize(*target, x, hidden, parameters);
        for (int64_t r = 0; r < rows; ++r) {
          const std::span<const float> row(x.data() + r * hidden, static_cast<size_t>(hidden));
          ASSERT_TRUE(SameBits(Normalize(*target, row, hidden, parameters), RowOf(batch, r, hidden)))
              << target->name << ", hidden " << hidden << ", row " << r << " of " << rows;
        }
      }
    }
  }
}

// The same row at every position, among rows that are redone, rescued or NaN.
TEST(PlacementTest, OneRowAtEachPosition) {
  Random random(31);
  constexpr int64_t kRows = 19;
  for (const Target* target : TargetsHere()) {
    for (const int64_t hidden : kWidths) {
      const std::vector<float> row = OrdinaryRow(hidden, random);
      const Bits alone = Normalize(*target, row, hidden, {});
      for (int64_t r = 0; r < kRows; ++r) {
        std::vector<float> x = MixedRows(kRows, hidden, random);
        std::copy(row.begin(), row.end(), x.begin() + r * hidden);
        ASSERT_TRUE(SameBits(alone, RowOf(Normalize(*target, x, hidden, {}), r, hidden)))
            << target->name << ", hidden " << hidden << ", position " << r;
      }
    }
  }
}

// More bytes than the caches hold, which a kernel may store another way.
TEST(PlacementTest, RowsOfAVeryLargeBatch) {
  Random random(32);
  constexpr int64_t kHidden = 4095;
  constexpr int64_t kRows = 2500;
  const std::vector<float> few = MixedRows(kRowKinds, kHidden, random);
  std::vector<float> x;
  x.reserve(kHidden * kRows);
  while (x.size() < static_cast<size_t>(kHidden * kRows)) {
    x.insert(x.end(), few.begin(),
             few.begin() +
                 std::min<int64_t>(kRowKinds * kHidden, kHidden * kRows - static_cast<int64_t>(x.size())));
  }
  for (const Target* target : TargetsHere()) {
    const Bits expected = Normalize(*target, few, kHidden, {});
    const Bits got = Normalize(*target, x, kHidden, {});
    for (int64_t r = 0; r < kRows; ++r) {
      ASSERT_TRUE(SameBits(RowOf(expected, r % kRowKinds, kHidden), RowOf(got, r, kHidden)))
          << target->name << ", row " << r;
    }
  }
}

// Rows of bytes at any address, with canaries before and after y.
class ByteRows {
 public:
  ByteRows(std::span<const float> values, size_t offset, size_t bytes)
      : offset_(offset), bytes_(bytes), memory_(kMargin + offset + bytes + kMargin, kCanary) {
    if (!values.empty()) std::memcpy(data(), values.data(), values.size_bytes());
  }

  std::byte* data() { return memory_.data() + kMargin + offset_; }
  std::vector<uint32_t> Values() {
    std::vector<uint32_t> values(bytes_ / sizeof(uint32_t));
    std::memcpy(values.data(), data(), bytes_);
    return values;
  }
  bool CanariesAlive() const {
    const auto alive = [](std::byte byte) { return byte == kCanary; };
    const auto first = memory_.begin() + static_cast<std::ptrdiff_t>(kMargin + offset_);
    return std::all_of(memory_.begin(), first, alive) &&
           std::all_of(first + static_cast<std::ptrdiff_t>(bytes_), memory_.end(), alive);
  }

 private:
  static constexpr size_t kMargin = 256;
  size_t offset_;
  size_t bytes_;
  std::vector<std::byte> memory_;
};

void ExpectSameAt(const Target& target, std::span<const float> x, int64_t hidden,
                  const OwnedParameters& parameters, const Bits& expected, size_t x_offset, size_t y_offset) {
  ByteRows in(x, x_offset, x.size_bytes());
  ByteRows out({}, y_offset, x.size_bytes());
  const absl::Status status =
      MakeLayer(parameters.View(hidden), target)
          .Run({.rows = static_cast<int64_t>(x.size()) / hidden, .x = {in.data()}, .y = {out.data()}});
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_TRUE(SameBits(expected.y, out.Values()))
      << target.name << ", hidden " << hidden << ", x +" << x_offset << ", y +" << y_offset;
  EXPECT_TRUE(out.CanariesAlive()) << target.name << ", hidden " << hidden;
  EXPECT_TRUE(SameBits(BitsOf(x), in.Values())) << "x was written";
}

TEST(PlacementTest, EveryByteOffset) {
  Random random(33);
  for (const Target* target : TargetsHere()) {
    for (const int64_t hidden : {1, 5, 17, 33, 100, 300, 771}) {
      const std::vector<float> x = MixedRows(kRowKinds, hidden, random);
      const OwnedParameters parameters = MakeParameters(3, hidden, random);
      const Bits expected = Normalize(*target, x, hidden, parameters);
      for (size_t offset = 0; offset < 64; ++offset) {
        ExpectSameAt(*target, x, hidden, parameters, expected, offset, offset * 29 % 64);
      }
    }
  }
}

TEST(PlacementTest, EveryFloatOffsetOfXAndY) {
  Random random(34);
  for (const Target* target : TargetsHere()) {
    for (const int64_t hidden : {33, 257}) {
      const std::vector<float> x = MixedRows(3, hidden, random);
      const Bits expected = Normalize(*target, x, hidden, {});
      for (size_t at = 0; at < 256; ++at) {
        ExpectSameAt(*target, x, hidden, {}, expected, at % 16 * sizeof(float), at / 16 * sizeof(float));
      }
    }
  }
}

TEST(PlacementTest, ParametersAtEveryFloatOffset) {
  Random random(35);
  constexpr int64_t kHidden = 307;
  const std::vector<float> x = MixedRows(3, kHidden, random);
  const OwnedParameters parameters = MakeParameters(3, kHidden, random);
  for (const Target* target : TargetsHere()) {
    const Bits expected = Normalize(*target, x, kHidden, parameters);
    for (size_t offset = 0; offset < 16; ++offset) {
      std::vector<float> moved(2 * kHidden + 32);
      const std::span gamma(moved.data() + offset, kHidden);
      const std::span beta(moved.data() + kHidden + 2 * offset, kHidden);
      std::ranges::copy(parameters.gamma, gamma.begin());
      std::ranges::copy(parameters.beta, beta.begin());
      std::vector<float> y(x.size());
      const Norm layer = MakeLayer(
          {.hidden = kHidden, .gamma = gamma, .beta = beta, .epsilon = parameters.epsilon}, *target);
      ASSERT_TRUE(layer.Run({.rows = 3, .x = {x.data()}, .y = {y.data()}}).ok());
      EXPECT_TRUE(SameBits(expected.y, BitsOf(y))) << target->name << ", offset " << offset;
    }
  }
}

TEST(PlacementTest, InPlace) {
  Random random(36);
  for (const Target* target : TargetsHere()) {
    for (const int64_t hidden : kWidths) {
      const OwnedParameters parameters = MakeParameters(3, hidden, random);
      std::vector<float> x = MixedRows(kRowKinds, hidden, random);
      const Bits expected = Normalize(*target, x, hidden, parameters);
      ASSERT_TRUE(MakeLayer(parameters.View(hidden), *target)
                      .Run({.rows = kRowKinds, .x = {x.data()}, .y = {x.data()}})
                      .ok());
      EXPECT_TRUE(SameBits(expected.y, BitsOf(x))) << target->name << ", hidden " << hidden;
    }
  }
}

// `rows` at a stride, the gaps filled with a value that would show.
std::vector<float> Strided(std::span<const float> rows, int64_t hidden, int64_t stride, float gap) {
  const int64_t count = static_cast<int64_t>(rows.size()) / hidden;
  std::vector<float> all(static_cast<size_t>(count * stride), gap);
  for (int64_t r = 0; r < count; ++r) {
    std::copy_n(rows.begin() + r * hidden, hidden, all.begin() + r * stride);
  }
  return all;
}

void ExpectSameStrided(const Target& target, int64_t hidden, int64_t x_stride, int64_t y_stride,
                       Random& random) {
  constexpr float kGap = 1e30F;
  const std::vector<float> x = MixedRows(kRowKinds, hidden, random);
  const Bits expected = Normalize(target, x, hidden, {});
  const std::vector<float> in = Strided(x, hidden, x_stride, kGap);
  std::vector<float> out = Strided(x, hidden, y_stride, kGap);
  const absl::Status status =
      MakeLayer({.hidden = hidden, .gamma = {}, .beta = {}}, target)
          .Run({.rows = kRowKinds, .x = {in.data(), x_stride}, .y = {out.data(), y_stride}});
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_TRUE(SameBits(BitsOf(Strided(ValuesOf(expected.y), hidden, y_stride, kGap)), BitsOf(out)))
      << target.name << ", hidden " << hidden << ", strides " << x_stride << " and " << y_stride;
}

TEST(PlacementTest, StridedRows) {
  Random random(37);
  for (const Target* target : TargetsHere()) {
    for (const int64_t hidden : kWidths) {
      for (const int64_t extra : {0, 1, 13}) {
        ExpectSameStrided(*target, hidden, hidden + extra, hidden, random);
        ExpectSameStrided(*target, hidden, hidden, hidden + extra, random);
        ExpectSameStrided(*target, hidden, hidden + extra, 2 * hidden + extra, random);
      }
    }
  }
}

TEST(PlacementTest, ZeroRowsTouchNothing) {
  for (const Target* target : TargetsHere()) {
    const Norm layer = MakeLayer({.hidden = 5, .gamma = {}, .beta = {}}, *target);
    EXPECT_TRUE(layer.Run({.rows = 0}).ok());
    std::vector<float> y(5, 3.0F);
    EXPECT_TRUE(layer.Run({.rows = 0, .x = {y.data()}, .y = {y.data()}}).ok());
    EXPECT_EQ(y, std::vector<float>(5, 3.0F));
  }
}

// Every operand against a page that may not be touched: after its end, then before its begin.
TEST(PlacementTest, NothingOutsideTheOperandsIsTouched) {
  Random random(38);
  for (const Target* target : TargetsHere()) {
    for (int64_t hidden = 1; hidden <= 200; ++hidden) {
      const std::vector<float> values = MixedRows(2, hidden, random);
      const OwnedParameters owned = MakeParameters(3, hidden, random);
      const Bits expected = Normalize(*target, values, hidden, owned);
      for (const GuardSide side : {GuardSide::kAfter, GuardSide::kBefore}) {
        const Guarded x(values, side), gamma(owned.gamma, side), beta(owned.beta, side);
        const Guarded y(values, side), mean({values.data(), 2}, side), rstd({values.data(), 2}, side);
        const Norm layer = MakeLayer(
            {.hidden = hidden, .gamma = gamma.values(), .beta = beta.values(), .epsilon = owned.epsilon},
            *target);
        ASSERT_TRUE(
            layer.Run({.rows = 2, .x = {x.data()}, .y = {y.data()}, .mean = mean.data(), .rstd = rstd.data()})
                .ok());
        const Bits got = {BitsOf(y.values()), BitsOf(mean.values()), BitsOf(rstd.values())};
        ASSERT_TRUE(SameBits(expected, got)) << target->name << ", hidden " << hidden;
      }
    }
  }
}

TEST(PlacementTest, MeanAndRstdAreEachOptional) {
  Random random(39);
  const std::vector<float> x = MixedRows(kRowKinds, 100, random);
  for (const Target* target : TargetsHere()) {
    const Bits expected = Normalize(*target, x, 100, {});
    const Norm layer = MakeLayer({.hidden = 100, .gamma = {}, .beta = {}}, *target);
    std::vector<float> y(x.size());
    std::vector<float> mean(kRowKinds);
    std::vector<float> rstd(kRowKinds);
    ASSERT_TRUE(layer.Run({.rows = kRowKinds, .x = {x.data()}, .y = {y.data()}, .mean = mean.data()}).ok());
    EXPECT_TRUE(SameBits(expected.mean, BitsOf(mean))) << target->name;
    ASSERT_TRUE(layer.Run({.rows = kRowKinds, .x = {x.data()}, .y = {y.data()}, .rstd = rstd.data()}).ok());
    EXPECT_TRUE(SameBits(expected.rstd, BitsOf(rstd))) << target->name;
    EXPECT_TRUE(SameBits(expected.y, BitsOf(y))) << target->name;
  }
}

TEST(PlacementTest, ManyThreadsRunOneLayer) {
  Random random(40);
  const std::vector<float> x = MixedRows(kRowKinds, 384, random);
  const OwnedParameters parameters = MakeParameters(3, 384, random);
  for (const Target* target : TargetsHere()) {
    const Bits expected = Normalize(*target, x, 384, parameters);
    const Norm layer = MakeLayer(parameters.View(384), *target);
    std::vector<std::vector<float>> results(4, std::vector<float>(x.size()));
    std::vector<std::thread> threads;
    for (std::vector<float>& y : results) {
      threads.emplace_back([&] { (void)layer.Run({.rows = kRowKinds, .x = {x.data()}, .y = {y.data()}}); });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::vector<float>& y : results) EXPECT_TRUE(SameBits(expected.y, BitsOf(y))) << target->name;
  }
}

}  // namespace
}  // namespace normd
