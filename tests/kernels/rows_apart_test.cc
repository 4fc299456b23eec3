// SPDX-License-Identifier: Apache-2.0
//
// A row's bits depend on the row alone: not on the batch, its place in it, what kind of rows stand beside it,
// or the threads that run it.

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <thread>

#include "harness.h"

namespace normd {
namespace {

// Widths on each side of where kernels go another way: by registers, rows at once, pipelined, in double.
constexpr int64_t kWidths[] = {1,   3,   7,   16,  31,   32,   33,   64,   100, 255,
                               256, 257, 384, 771, 1024, 1025, 1151, 1152, 2050};

void ForEachKindAndType(auto use) {
  for (const NormKind kind : kEveryKind) {
    for (const DataType data_type : kEveryDataType) use(FullVariant(kind, data_type));
  }
}

void ExpectRowsAsAlone(const Target& target, const Trial& trial, const Layout& layout,
                       const Variant& variant) {
  const Bits batch = Answer(target, trial, layout);
  for (int64_t r = 0; r < trial.rows(); ++r) {
    ASSERT_TRUE(SameBits(Answer(target, RowOf(trial, r)), RowOf(batch, r, trial.hidden)))
        << target.name << ", " << Describe(variant) << ", hidden " << trial.hidden << ", row " << r << " of "
        << trial.rows();
  }
}

TEST(RowsApartTest, RowAloneAndInBatches) {
  Random random(30);
  ForEachKindAndType([&](const Variant& variant) {
    for (const int64_t hidden : kWidths) {
      for (const int64_t rows : {2, 9, 17, 33}) {
        const Trial trial = MakeTrial(variant, rows, hidden, random, static_cast<int>(rows));
        for (const Target* target : TargetsHere()) ExpectRowsAsAlone(*target, trial, {}, variant);
      }
    }
  });
}

// A row that is redone, rescued or NaN, at each position among ordinary ones: it must come out as alone, and
// so must they.
void ExpectApart(const Target& target, const Variant& variant, int64_t hidden, RowKind kind, Random& random) {
  constexpr int64_t kRows = 19;
  Trial trial = MakeTrial(variant, 1, hidden, random);
  const std::vector<float> ordinary = OrdinaryRow(hidden, random, variant.data_type);
  const std::vector<float> special = MakeRow(kind, hidden, random, variant.data_type);
  const auto alone = [&](const std::vector<float>& row) { return trial.x = row, Answer(target, trial); };
  const Bits ordinary_bits = alone(ordinary);
  const Bits special_bits = alone(special);
  trial.x.clear();
  for (int64_t r = 0; r < kRows; ++r) trial.x.insert(trial.x.end(), ordinary.begin(), ordinary.end());
  for (int64_t at = 0; at < kRows; ++at) {
    std::ranges::copy(special, trial.x.begin() + at * hidden);
    const Bits batch = Answer(target, trial);
    for (int64_t r = 0; r < kRows; ++r) {
      ASSERT_TRUE(SameBits(r == at ? special_bits : ordinary_bits, RowOf(batch, r, hidden)))
          << target.name << ", " << Describe(variant) << ", hidden " << hidden << ", row " << r
          << ", the special one at " << at;
    }
    std::ranges::copy(ordinary, trial.x.begin() + at * hidden);
  }
}

TEST(RowsApartTest, SpecialRowAtEachPosition) {
  Random random(31);
  ForEachKindAndType([&](Variant variant) {
    variant.residual = variant.sum = false;
    for (const int64_t hidden : {5, 33, 100, 257, 1025}) {
      for (const RowKind kind : {RowKind::kHuge, RowKind::kFarHead, RowKind::kOneNan, RowKind::kTiny}) {
        for (const Target* target : TargetsHere()) ExpectApart(*target, variant, hidden, kind, random);
      }
    }
  });
}

// So many bytes, 3.5 MiB and more, that the rows are split into as many parts as are asked for.
Trial LargeTrial(const Variant& variant, Random& random) {
  constexpr int64_t kHidden = 4095;
  return MakeTrial(variant, int64_t{9} * kRowKinds, kHidden, random);
}

Bits AnswerInArena(const Target& target, const Trial& trial, const Layout& layout) {
  constexpr int kThreads = 4;
  const oneapi::tbb::global_control control(oneapi::tbb::global_control::max_allowed_parallelism, kThreads);
  oneapi::tbb::task_arena arena(kThreads);
  return arena.execute([&] { return Answer(target, trial, layout); });
}

TEST(RowsApartTest, TasksAndStoresPastTheCaches) {
  Random random(32);
  // Rows of y that begin where a register may be stored past the caches, 4 bytes from there, and where none
  // may be.
  const Layout layouts[] = {{.tasks = 1, .streaming_bytes = 0},
                            {.y = {.offset = 4}, .tasks = 2, .streaming_bytes = 0},
                            {.y = {.offset = 1, .gap = 3}, .tasks = 7, .streaming_bytes = 0},
                            {.tasks = 7}};
  std::vector<Variant> variants;
  ForEachKindAndType([&](const Variant& variant) { variants.push_back(variant); });
  for (const NormKind kind : {NormKind::kLayerNorm, NormKind::kRmsNorm}) {
    variants.push_back({.kind = kind, .residual = true, .sum = true, .given = true});
  }
  for (const Variant& variant : variants) {
    const Trial trial = LargeTrial(variant, random);
    const Bits expected = Answer(Scalar(), trial);
    for (const Target* target : TargetsHere()) {
      for (const Layout& layout : layouts) {
        EXPECT_TRUE(SameBits(expected, AnswerInArena(*target, trial, layout)))
            << target->name << ", " << Describe(variant) << ", " << layout.tasks << " tasks, "
            << Describe(layout);
      }
    }
  }
}

TEST(RowsApartTest, ManyThreadsRunOneLayer) {
  Random random(40);
  const std::vector<float> x = MixedRows(kRowKinds, 384, random);
  const OwnedParameters parameters = MakeParameters(3, 384, random);
  for (const Target* target : TargetsHere()) {
    const Bits expected = Normalize(*target, x, 384, parameters);
    const Norm norm = MakeNorm(parameters.View(384), {.target = target});
    std::vector<std::vector<float>> results(4, std::vector<float>(x.size()));
    std::vector<std::thread> threads;
    for (std::vector<float>& y : results) {
      threads.emplace_back([&] { (void)norm.Run({.rows = kRowKinds, .x = {x.data()}, .y = {y.data()}}); });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::vector<float>& y : results) EXPECT_TRUE(SameBits(expected.y, BitsOf(y))) << target->name;
  }
}

}  // namespace
}  // namespace normd
