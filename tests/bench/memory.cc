// SPDX-License-Identifier: Apache-2.0
#include "memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

namespace normd::bench {
namespace {

constexpr int64_t kPage = 4096;
constexpr int64_t kHugePage = int64_t{2} << 20;
constexpr int64_t kStagger = 1024;

// Enough distinct values that no predictor learns them, few enough to be made quickly.
const std::vector<float>& NormalValues() {
  static const std::vector<float> values = [] {
    std::mt19937 engine(1607);
    std::normal_distribution<float> normal;
    std::vector<float> made(65537);
    std::generate(made.begin(), made.end(), [&] { return normal(engine); });
    return made;
  }();
  return values;
}

void FillRows(Type type, int64_t count, int64_t from, void* to) {
  const std::vector<float>& values = NormalValues();
  std::vector<float> rotated(values.begin() + from, values.end());
  rotated.insert(rotated.end(), values.begin(), values.begin() + from);
  for (int64_t done = 0; done < count;) {
    const int64_t now = std::min(count - done, static_cast<int64_t>(rotated.size()));
    Store(type, {rotated.data(), static_cast<size_t>(now)}, static_cast<char*>(to) + done * BytesOf(type));
    done += now;
  }
}

}  // namespace

uint16_t ToBfloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

uint16_t ToFloat16(float value) { return std::bit_cast<uint16_t>(static_cast<_Float16>(value)); }

float FromBfloat16(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

float FromFloat16(uint16_t bits) { return static_cast<float>(std::bit_cast<_Float16>(bits)); }

void Store(Type type, std::span<const float> values, void* to) {
  if (type == Type::kFloat32) {
    std::memcpy(to, values.data(), values.size_bytes());
    return;
  }
  uint16_t* const bits = static_cast<uint16_t*>(to);
  std::transform(values.begin(), values.end(), bits, type == Type::kBfloat16 ? ToBfloat16 : ToFloat16);
}

std::vector<float> Load(Type type, const void* from, int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  if (type == Type::kFloat32) {
    std::memcpy(values.data(), from, values.size() * sizeof(float));
    return values;
  }
  const uint16_t* const bits = static_cast<const uint16_t*>(from);
  std::transform(bits, bits + count, values.begin(), type == Type::kBfloat16 ? FromBfloat16 : FromFloat16);
  return values;
}

Memory::Memory(int64_t largest_bytes, int64_t largest_rows, int64_t largest_hidden, bool residual)
    : size_((residual ? 4 : 2) * (largest_bytes + 2 * kPage) + 8 * (largest_rows + largest_hidden) * 4 +
            8 * kHugePage) {
  void* const block = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) throw std::runtime_error("no memory of " + std::to_string(size_) + " bytes");
  block_ = static_cast<char*>(block);
  madvise(block_, size_, MADV_HUGEPAGE);
  taken_ = -reinterpret_cast<intptr_t>(block_) & (kHugePage - 1);
  const int64_t parameter_bytes = largest_hidden * 4;
  const auto floats = [this](int64_t count) { return reinterpret_cast<float*>(Take(count * 4)); };
  buffers_.x = Take(largest_bytes);
  buffers_.residual = residual ? Take(largest_bytes) : nullptr;
  buffers_.y = Take(largest_bytes);
  buffers_.sum = residual ? Take(largest_bytes) : nullptr;
  buffers_.gamma = floats(largest_hidden);
  buffers_.beta = floats(largest_hidden);
  buffers_.gamma_in_type = Take(parameter_bytes);
  buffers_.beta_in_type = Take(parameter_bytes);
  buffers_.mean = floats(largest_rows);
  buffers_.rstd = floats(largest_rows);
}

Memory::~Memory() { munmap(block_, size_); }

// The next `bytes`, on a page of their own and kStagger further into it than the last.
char* Memory::Take(int64_t bytes) {
  char* const taken = block_ + taken_;
  taken_ = (taken_ + bytes + kPage - 1) / kPage * kPage + (taken_ + kStagger) % kPage;
  return taken;
}

Buffers Memory::Fill(const Cell& cell) {
  const auto writable = [](const void* data) { return const_cast<void*>(data); };
  const size_t hidden = static_cast<size_t>(cell.hidden);
  FillRows(cell.type, cell.values(), 0, writable(buffers_.x));
  if (buffers_.residual != nullptr) FillRows(cell.type, cell.values(), 4099, writable(buffers_.residual));
  FillRows(Type::kFloat32, cell.hidden, 8209, writable(buffers_.gamma));
  FillRows(Type::kFloat32, cell.hidden, 16411, writable(buffers_.beta));
  Store(cell.type, {buffers_.gamma, hidden}, writable(buffers_.gamma_in_type));
  Store(cell.type, {buffers_.beta, hidden}, writable(buffers_.beta_in_type));
  return buffers_;
}

}  // namespace normd::bench
