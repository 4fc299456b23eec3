// SPDX-License-Identifier: Apache-2.0
//
// Bytes that lie against a page which may not be touched: one byte read or written past them ends the
// program.

#ifndef NORMD_TESTS_KERNELS_GUARDED_H_
#define NORMD_TESTS_KERNELS_GUARDED_H_

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <span>

namespace normd {

enum class GuardSide { kBefore, kAfter };

class Guarded {
 public:
  Guarded(std::span<const std::byte> bytes, GuardSide side) : count_(bytes.size()) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t inner = (bytes.size() + page - 1) / page * page;
    size_ = inner + 2 * page;
    memory_ = mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    data_ = static_cast<std::byte*>(memory_) + page;
    mprotect(data_, inner, PROT_READ | PROT_WRITE);
    if (side == GuardSide::kAfter) data_ += inner - bytes.size();
    if (!bytes.empty()) std::memcpy(data_, bytes.data(), bytes.size());
  }
  Guarded(std::span<const float> values, GuardSide side) : Guarded(std::as_bytes(values), side) {}
  ~Guarded() { munmap(memory_, size_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  // Null where there are none, as for an operand that is absent.
  std::byte* data() const { return count_ == 0 ? nullptr : data_; }
  float* floats() const { return reinterpret_cast<float*>(data()); }
  std::span<const std::byte> bytes() const { return {data(), count_}; }
  std::span<const float> values() const { return {floats(), count_ / sizeof(float)}; }

 private:
  size_t count_;
  size_t size_;
  void* memory_;
  std::byte* data_;
};

}  // namespace normd

#endif  // NORMD_TESTS_KERNELS_GUARDED_H_
