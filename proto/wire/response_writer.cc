// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "wire/normalize_response.h"
#include "wire/reader.h"

namespace normd::wire {
namespace {

constexpr auto kVarint = WireType::kVarint;
constexpr auto kBytes = WireType::kBytes;

size_t VarintSize(uint64_t value) {
  size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}

void AppendVarint(uint64_t value, std::string* out) {
  char bytes[10];
  size_t count = 0;
  for (; value >= 0x80; value >>= 7) bytes[count++] = static_cast<char>(value | 0x80);
  bytes[count++] = static_cast<char>(value);
  out->append(bytes, count);
}

void AppendLength(uint32_t number, uint64_t size, std::string* out) {
  AppendVarint(Tag(number, kBytes), out);
  AppendVarint(size, out);
}

// As protobuf does, the functions below leave out what is 0 or empty. A negative number takes ten bytes.
template <typename T>
void AppendNumber(uint32_t number, T value, std::string* out) {
  if (value == 0) return;
  AppendVarint(Tag(number, kVarint), out);
  AppendVarint(static_cast<uint64_t>(value), out);
}

void AppendString(uint32_t number, std::string_view value, std::string* out) {
  if (value.empty()) return;
  AppendLength(number, value.size(), out);
  out->append(value);
}

void AppendNumbers(uint32_t number, std::span<const int64_t> values, std::string* out) {
  if (values.empty()) return;
  size_t size = 0;
  for (int64_t value : values) size += VarintSize(static_cast<uint64_t>(value));
  AppendLength(number, size, out);
  for (int64_t value : values) AppendVarint(static_cast<uint64_t>(value), out);
}

void AppendFloats(uint32_t number, std::span<const float> values, std::string* out) {
  if (values.empty()) return;
  AppendLength(number, values.size_bytes(), out);
  out->append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

void AppendTimings(const Timings& timings, std::string* out) {
  std::string fields;  // at most 33 bytes
  AppendNumber(1, timings.queue_ns, &fields);
  AppendNumber(2, timings.compute_ns, &fields);
  AppendNumber(3, timings.total_ns, &fields);
  AppendLength(5, fields.size(), out);
  out->append(fields);
}

void AppendPayloadLength(Payload payload, uint64_t size, std::string* out) {
  if (payload != Payload::kNone) AppendLength(static_cast<uint32_t>(payload), size, out);
}

}  // namespace

void AppendResponseHead(const ResponseHead& head, std::string* out) {
  AppendString(1, head.request_id, out);
  AppendNumber(2, head.data_type, out);
  AppendNumber(3, head.hidden, out);
  AppendNumbers(4, head.token_counts, out);
  AppendTimings(head.timings, out);
  AppendFloats(6, head.mean, out);
  AppendFloats(7, head.rstd, out);
  const bool sum_first = head.residual_sum != Payload::kNone;
  AppendPayloadLength(sum_first ? head.residual_sum : head.payload,
                      sum_first ? head.residual_sum_size : head.payload_size, out);
}

void AppendBetween(const ResponseHead& head, std::string* out) {
  if (head.residual_sum != Payload::kNone) AppendPayloadLength(head.payload, head.payload_size, out);
}

// The result's length stands before it, and is known once it is written: making room for a few bytes then
// costs less than a second function that would have to give the same length.
void AppendStreamResponseHead(const ResponseHead& head, std::string* out) {
  const size_t start = out->size();
  AppendResponseHead(head, out);
  std::string between;
  AppendBetween(head, &between);
  const uint64_t payloads = head.residual_sum_size + between.size() + head.payload_size;
  std::string wrapping;
  AppendLength(15, out->size() - start + payloads, &wrapping);
  out->insert(start, wrapping);
}

void AppendStreamError(int code, std::string_view message, std::string_view request_id, std::string* out) {
  std::string fields;
  AppendNumber(1, code, &fields);
  AppendString(2, message, &fields);
  AppendString(3, request_id, &fields);
  AppendLength(1, fields.size(), out);
  out->append(fields);
}

}  // namespace normd::wire
