// SPDX-License-Identifier: Apache-2.0
#include "npy.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "normd/convert.h"
#include "npy_header.h"

namespace normd {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr size_t kMaxRank = 4;

absl::Status Invalid(const std::string& text) { return absl::InvalidArgumentError(text); }

// Where the header's text stands.
struct HeaderPlace {
  size_t offset = 0;
  size_t size = 0;
};

// Version 1 has a length of two bytes; 2 and 3 have one of four. 3 differs from 2 in its text being UTF-8.
absl::StatusOr<HeaderPlace> FindHeader(std::string_view start) {
  if (!start.starts_with(kMagic)) return Invalid("not a .npy file: it does not begin with \\x93NUMPY");
  if (start.size() < 12)
    return Invalid(absl::StrCat("ends after ", start.size(), " bytes, inside the preamble"));
  const int version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3)
    return Invalid(absl::StrCat("format version ", version, "; expected 1, 2 or 3"));
  const size_t length_bytes = version == 1 ? 2 : 4;
  HeaderPlace place{.offset = 8 + length_bytes};
  for (size_t i = length_bytes; i > 0; --i)
    place.size = place.size << 8 | static_cast<unsigned char>(start[7 + i]);
  const size_t room = std::min(start.size(), kMaxNpyPreamble) - place.offset;
  if (place.size <= room) return place;
  return Invalid(absl::StrCat("its header says ", place.size, " bytes; expected at most ", room));
}

constexpr std::string_view kFloat32Descr = "<f4";
constexpr std::string_view kFloat16Descr = "<f2";

absl::Status CheckLayout(const NpyDictionary& dictionary) {
  if (!dictionary.descr || !dictionary.fortran_order || !dictionary.shape) {
    return Invalid("the header lacks one of descr, fortran_order and shape");
  }
  if (*dictionary.descr != kFloat32Descr && *dictionary.descr != kFloat16Descr) {
    return Invalid(absl::StrCat("data type '", absl::CHexEscape(dictionary.descr->substr(0, 40)),
                                "'; expected '<f4' or '<f2', little-endian float32 or float16"));
  }
  if (*dictionary.fortran_order) return Invalid("Fortran order; expected C order (numpy.ascontiguousarray)");
  const size_t rank = dictionary.shape->size();
  if (rank < 1 || rank > kMaxRank) return Invalid(absl::StrCat("rank ", rank, "; expected 1 to ", kMaxRank));
  return absl::OkStatus();
}

// Dimensions are not negative; a product beyond 64 bits is no file's.
absl::StatusOr<uint64_t> CountValues(const std::vector<int64_t>& shape) {
  uint64_t values = 1;
  for (const int64_t dimension : shape) {
    if (__builtin_mul_overflow(values, static_cast<uint64_t>(dimension), &values) || values > INT64_MAX / 4) {
      return Invalid(
          absl::StrCat("shape (", absl::StrJoin(shape, ", "), ") has more values than a file can"));
    }
  }
  return values;
}

absl::Status CheckSize(const NpyPreamble& preamble, uint64_t file_size) {
  const uint64_t expected =
      preamble.offset + preamble.values * static_cast<uint64_t>(BytesOf(preamble.data_type));
  if (file_size == expected) return absl::OkStatus();
  return Invalid(absl::StrCat("has ", file_size, " bytes; expected ", expected, " for shape (",
                              absl::StrJoin(preamble.shape, ", "), ")"));
}

absl::Status InFile(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
}

absl::StatusOr<NpyPreamble> ReadPreamble(std::ifstream& file, uint64_t file_size) {
  std::string start(std::min<uint64_t>(file_size, kMaxNpyPreamble), '\0');
  if (!file.read(start.data(), static_cast<std::streamsize>(start.size()))) return Invalid("cannot be read");
  return ParseNpyPreamble(start, file_size);
}

template <class Value>
bool ReadList(std::ifstream& file, uint64_t count, std::vector<Value>* values) {
  values->resize(count);
  file.read(reinterpret_cast<char*>(values->data()), static_cast<std::streamsize>(count * sizeof(Value)));
  return !file.fail();
}

bool ReadValues(std::ifstream& file, uint64_t count, NpyArray* array) {
  if (array->data_type == DataType::kFloat32) return ReadList(file, count, &array->values);
  std::vector<uint16_t> halves;
  if (!ReadList(file, count, &halves)) return false;
  array->values.resize(count);
  WidenToFloats(halves.data(), array->data_type, array->values);
  return true;
}

template <class Value>
void WriteList(std::ofstream& file, const std::vector<Value>& values) {
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(Value)));
}

void WriteValues(std::ofstream& file, const NpyArray& array) {
  if (array.data_type == DataType::kFloat32) return WriteList(file, array.values);
  std::vector<uint16_t> halves(array.values.size());
  RoundFloats(array.values, array.data_type, halves.data());
  WriteList(file, halves);
}

}  // namespace

absl::StatusOr<NpyPreamble> ParseNpyPreamble(std::string_view start, uint64_t file_size) {
  const auto place = FindHeader(start);
  if (!place.ok()) return place.status();
  auto dictionary = ParseNpyDictionary(start.substr(place->offset, place->size));
  if (!dictionary.ok()) return dictionary.status();
  if (absl::Status status = CheckLayout(*dictionary); !status.ok()) return status;
  const auto values = CountValues(*dictionary->shape);
  if (!values.ok()) return values.status();
  NpyPreamble preamble{.shape = *dictionary->shape, .values = *values, .offset = place->offset + place->size};
  if (*dictionary->descr == kFloat16Descr) preamble.data_type = DataType::kFloat16;
  if (absl::Status status = CheckSize(preamble, file_size); !status.ok()) return status;
  return preamble;
}

absl::StatusOr<NpyArray> ReadNpy(const std::string& path) {
  // A pipe or a device has no size to hold its header against.
  std::error_code error;
  const uint64_t file_size = std::filesystem::file_size(path, error);
  if (error) return InFile(path, absl::NotFoundError(error.message()));
  std::ifstream file(path, std::ios::binary);
  if (!file) return InFile(path, Invalid("cannot be opened"));
  const auto preamble = ReadPreamble(file, file_size);
  if (!preamble.ok()) return InFile(path, preamble.status());
  file.seekg(static_cast<std::streamoff>(preamble->offset));
  NpyArray array{.shape = preamble->shape, .values = {}, .data_type = preamble->data_type};
  if (!ReadValues(file, preamble->values, &array)) return InFile(path, Invalid("changed while it was read"));
  return array;
}

std::string NpyHeaderBytes(const std::vector<int64_t>& shape, DataType data_type) {
  std::string text = absl::StrCat("{'descr': '", data_type == DataType::kFloat32 ? "<f4" : "<f2",
                                  "', 'fortran_order': False, 'shape': (", absl::StrJoin(shape, ", "),
                                  shape.size() == 1 ? ",), }" : "), }");
  // The values begin at a multiple of 64, so that they can be mapped, and the header ends with a line's end.
  const size_t unpadded = 10 + text.size() + 1;
  text.append((64 - unpadded % 64) % 64, ' ').push_back('\n');
  std::string bytes(kMagic);
  bytes += {'\x01', '\x00', static_cast<char>(text.size() & 0xFF), static_cast<char>(text.size() >> 8)};
  return bytes + text;
}

absl::Status WriteNpy(const std::string& path, const NpyArray& array) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << NpyHeaderBytes(array.shape, array.data_type);
  WriteValues(file, array);
  if (file.flush()) return absl::OkStatus();
  return InFile(path, Invalid("cannot be written"));
}

}  // namespace normd
