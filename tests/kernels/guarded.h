// SPDX-License-Identifier: Apache-2.0
//
// Floats that lie against a page which may not be touched: one byte read or written past them ends the
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
  Guarded(std::span<const float> values, GuardSide side) : count_(values.size()) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t inner = (values.size_bytes() + page - 1) / page * page;
    size_ = inner + 2 * page;
    memory_ = mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::byte* begin = static_cast<std::byte*>(memory_) + page;
    mprotect(begin, inner, PROT_READ | PROT_WRITE);
    if (side == GuardSide::kAfter) begin += inner - values.size_bytes();
    data_ = reinterpret_cast<float*>(begin);
    std::memcpy(data_, values.data(), values.size_bytes());
  }
  ~Guarded() { munmap(memory_, size_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  float* data() const { return data_; }
  std::span<const float> values() const { return {data_, count_}; }

 private:
  size_t count_;
  size_t size_;
  void* memory_;
  float* data_;
};

}  // namespace normd

#endif  // NORMD_TESTS_KERNELS_GUARDED_H_
