// SPDX-License-Identifier: Apache-2.0
//
// Run allocates nothing, whatever the rows are and however many.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

#include "harness.h"
#include "placed.h"

namespace {

std::atomic<int64_t> allocations{0};

void* Counted(void* memory) {
  ++allocations;
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// A sanitizer has a malloc of its own; then operator new alone is counted.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
namespace {
void* Unhooked(std::size_t size) { return std::malloc(size); }
}  // namespace
#else
extern "C" void* __libc_malloc(std::size_t size);  // NOLINT: glibc's name for its own
namespace {
void* Unhooked(std::size_t size) { return __libc_malloc(size); }
}  // namespace
extern "C" void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
#endif

void* operator new(std::size_t size) { return Counted(Unhooked(size)); }
void* operator new[](std::size_t size) { return Counted(Unhooked(size)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return Counted(std::aligned_alloc(static_cast<std::size_t>(alignment), size));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace normd {
namespace {

TEST(AllocationTest, TheCounterCounts) {
  const int64_t before = allocations;
  ::operator delete(::operator new(8));
  EXPECT_EQ(allocations, before + 1);
  constexpr auto kAlignment = std::align_val_t(64);
  ::operator delete(::operator new(64, kAlignment), kAlignment);
  EXPECT_EQ(allocations, before + 2);
}

void ExpectNothingAllocated(const Target& target, const Trial& trial, const Variant& variant) {
  const Layout layout;
  PlacedOperands operands(trial, layout);
  const NormOperands view = operands.View();
  const Norm norm = MakeNorm(trial.parameters.View(trial.hidden), {.target = &target});
  const int64_t before = allocations;
  const bool ok = norm.Run(view).ok();
  const int64_t after = allocations;
  EXPECT_EQ(after, before) << target.name << ", " << Describe(variant) << ", hidden " << trial.hidden;
  EXPECT_TRUE(ok);
}

TEST(AllocationTest, RunAllocatesNothing) {
  Random random(60);
  for (const Variant& variant : EveryVariant()) {
    for (const auto& [rows, hidden] : {std::pair(1, 64), {kRowKinds, 300}}) {
      const Trial trial = MakeTrial(variant, rows, hidden, random);
      for (const Target* target : TargetsHere()) ExpectNothingAllocated(*target, trial, variant);
    }
  }
}

TEST(AllocationTest, NorForManyRowsOrParametersThatAreNotFinite) {
  Random random(61);
  for (const NormKind kind : kEveryKind) {
    for (const DataType data_type : kEveryDataType) {
      const Variant variant = FullVariant(kind, data_type);
      const Trial many = MakeTrial(variant, 5000, 7, random);
      for (const Target* target : TargetsHere()) ExpectNothingAllocated(*target, many, variant);
      Trial trial = MakeTrial(variant, 1, 16384, random);
      trial.parameters.gamma[0] = std::numeric_limits<float>::infinity();
      for (const Target* target : TargetsHere()) ExpectNothingAllocated(*target, trial, variant);
    }
  }
}

}  // namespace
}  // namespace normd
