// SPDX-License-Identifier: Apache-2.0

#include "safetensors_header.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "checkpoint_file.h"
#include "safetensors_json.h"

namespace normd {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the format is little-endian, and is read as it lies");

constexpr size_t kLengthBytes = sizeof(uint64_t);
constexpr uint64_t kLongestHeader = 100'000'000;

struct Dtype {
  std::string_view name;
  int64_t bits;
};

constexpr Dtype kDtypes[] = {
    {"F64", 64},    {"F32", 32},    {"F16", 16}, {"BF16", 16}, {"F8_E4M3", 8}, {"F8_E5M2", 8}, {"F8_E8M0", 8},
    {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"F4", 4},   {"C64", 64},  {"I64", 64},    {"U64", 64},    {"I32", 32},
    {"U32", 32},    {"I16", 16},    {"U16", 16}, {"I8", 8},    {"U8", 8},      {"BOOL", 8},
};

using Entry = std::pair<const std::string, TensorEntry>;

absl::Status Error(const Entry& entry, const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat("tensor ", Quoted(entry.first), ": ", what));
}

// Bytes by shape and dtype; none where that is no whole number of bytes below 2^63.
std::optional<int64_t> SizeByShape(const TensorEntry& tensor, int64_t bits) {
  int64_t total = bits;
  for (const int64_t dimension : tensor.shape) {
    if (__builtin_mul_overflow(total, dimension, &total)) {
      return std::nullopt;
    }
  }
  return total % 8 == 0 ? std::optional(total / 8) : std::nullopt;
}

// A dtype that a later version of the format adds passes: its tensors are none that this reader takes values
// from.
absl::Status CheckSize(const Entry& entry) {
  const TensorEntry& tensor = entry.second;
  const auto* dtype = std::find_if(std::begin(kDtypes), std::end(kDtypes),
                                   [&](const Dtype& known) { return known.name == tensor.dtype; });
  if (dtype == std::end(kDtypes)) {
    return absl::OkStatus();
  }
  const std::optional<int64_t> size = SizeByShape(tensor, dtype->bits);
  const std::string shape = absl::StrCat(tensor.dtype, " [", absl::StrJoin(tensor.shape, ", "), "]");
  if (!size) {
    return Error(entry, absl::StrCat("the size of ", shape, " overflows or is no whole number of bytes"));
  }
  if (*size != tensor.end - tensor.begin) {
    return Error(entry, absl::StrCat(shape, " takes ", *size, " bytes, data_offsets hold ",
                                     tensor.end - tensor.begin));
  }
  return absl::OkStatus();
}

absl::Status CheckOffsets(const Entry& entry, int64_t data_bytes) {
  const TensorEntry& tensor = entry.second;
  if (tensor.begin > tensor.end || tensor.end > data_bytes) {
    return Error(entry, absl::StrCat("data_offsets [", tensor.begin, ", ", tensor.end,
                                     "], expected within [0, ", data_bytes, "] and in order"));
  }
  return CheckSize(entry);
}

// Tensors that overlap, or bytes that belong to none, are how a file can be two things at once.
absl::Status CheckBackToBack(const SafetensorsHeader& header, int64_t data_bytes) {
  std::vector<const Entry*> entries;
  entries.reserve(header.tensors.size());
  for (const Entry& entry : header.tensors) {
    entries.push_back(&entry);
  }
  const auto place = [](const Entry* entry) { return std::pair(entry->second.begin, entry->second.end); };
  std::sort(entries.begin(), entries.end(),
            [&](const Entry* a, const Entry* b) { return place(a) < place(b); });
  int64_t end = 0;
  for (const Entry* entry : entries) {
    if (entry->second.begin != end) {
      return Error(*entry, absl::StrCat("begins at byte ", entry->second.begin, " of the data, expected ",
                                        end, ", where the one before it ends"));
    }
    end = entry->second.end;
  }
  if (end != data_bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("the tensors take ", end, " bytes, the file holds ", data_bytes));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string_view> HeaderText(std::string_view file) {
  if (file.size() < kLengthBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("no safetensors file: ", file.size(), " bytes, expected at least ", kLengthBytes));
  }
  uint64_t length = 0;
  std::memcpy(&length, file.data(), kLengthBytes);
  const uint64_t most = std::min<uint64_t>(kLongestHeader, file.size() - kLengthBytes);
  if (length > most) {
    return absl::InvalidArgumentError(
        absl::StrCat("no safetensors file, or cut short: its first 8 bytes say a header of ", length,
                     " bytes, expected at most ", most));
  }
  const std::string_view text = file.substr(kLengthBytes, length);
  if (!text.starts_with('{')) {
    return absl::InvalidArgumentError("no safetensors file: its header does not begin with {");
  }
  return text;
}

}  // namespace

absl::StatusOr<SafetensorsHeader> ParseSafetensorsHeader(std::string_view file) {
  const absl::StatusOr<std::string_view> text = HeaderText(file);
  if (!text.ok()) {
    return text.status();
  }
  SafetensorsHeader header;
  header.data_begin = static_cast<int64_t>(kLengthBytes + text->size());
  const int64_t data_bytes = static_cast<int64_t>(file.size()) - header.data_begin;
  absl::Status status = ReadHeaderJson(*text, header);
  for (auto entry = header.tensors.begin(); status.ok() && entry != header.tensors.end(); ++entry) {
    status = CheckOffsets(*entry, data_bytes);
  }
  if (status.ok()) {
    status = CheckBackToBack(header, data_bytes);
  }
  return status.ok() ? absl::StatusOr<SafetensorsHeader>(std::move(header)) : status;
}

}  // namespace normd
