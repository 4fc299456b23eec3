// SPDX-License-Identifier: Apache-2.0
//
// A cursor over the slices of a message in protobuf's wire format.
//
// It accepts what protobuf 3.21's parser accepts: where the published format leaves a choice (over-long
// varints, bits that do not fit, field number 0, depth), the choice here is that parser's, and each is named
// below.
//
// Names for errors are absl::string_view: distributions build abseil for C++14, where std's is another type.
//
// Every function that reads returns false once something is malformed; status() then says what and where.

#ifndef NORMD_WIRE_READER_H_
#define NORMD_WIRE_READER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "wire/slices.h"

namespace normd::wire {

enum class WireType : uint32_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5
};

// The tag that stands before each field.
constexpr uint32_t Tag(uint32_t number, WireType type) { return number << 3 | static_cast<uint32_t>(type); }
constexpr WireType TypeOf(uint32_t tag) { return static_cast<WireType>(tag & 7); }

class Reader {
 public:
  // Messages and groups within one another; the outermost message does not count.
  static constexpr int kMaxDepth = 100;
  static constexpr uint64_t kMaxMessage = INT32_MAX;
  static constexpr uint64_t kMaxLength = INT32_MAX - 16;

  explicit Reader(Slices message);

  // OK, or InvalidArgument for the first thing that was malformed.
  const absl::Status& status() const { return status_; }

  // Bytes read so far.
  uint64_t position() const { return end_position_ - static_cast<uint64_t>(end_ - next_); }

  // Reads a message to its end: `field(tag)` is called after each tag, reads what belongs to it, and returns
  // whether it could.
  template <typename Field>
  bool ReadFields(Field field);

  // The same for a sub-message, which begins with its length.
  template <typename Field>
  bool ReadMessage(Field field);

  // Reads what follows a tag that nobody knows, a whole group included.
  bool SkipField(uint32_t tag);

  // A varint of up to 10 bytes, cut to the width of T as protobuf does (so an enum is its lower 32 bits).
  template <typename T>
  bool ReadNumber(T* value);

  bool ReadFloat(float* value) { return ReadValue(value); }
  bool ReadDouble(double* value) { return ReadValue(value); }

  // A `string` field, which must be UTF-8.
  bool ReadString(std::string* value);

  // A `bytes` field, left where it lies.
  bool ReadRange(std::optional<ByteRange>* range);

  // One number, or many in packed form, as the tag says; they are added to `values`.
  // More than `max` in all are refused; `what` names them in the error.
  template <typename T>
  bool ReadNumbers(uint32_t tag, int64_t max, absl::string_view what, std::vector<T>* values);
  bool ReadFloats(uint32_t tag, std::vector<float>* values);

 private:
  bool AtEnd() const { return next_ == end_; }
  // Moves on to the next slice that has bytes, where this one is used up and the limit is not reached. Each
  // read does this at once, so that next_ == end_ means the end of the message or sub-message.
  void Advance();
  void PlaceEnd();  // at the current slice's end or the limit
  void SetLimit(uint64_t limit);

  bool ReadTag(uint32_t* tag);
  bool ReadLength(uint64_t* length);  // at most the bytes that are left
  // Nearly all are of one byte, which here is not the slice's last one, so that there is nothing to advance
  // to.
  bool ReadVarint(int max_bytes, absl::string_view what, uint64_t* value) {
    if (end_ - next_ < 2 || static_cast<uint8_t>(*next_) >= 0x80)
      return ReadLongVarint(max_bytes, what, value);
    *value = static_cast<uint8_t>(*next_++);
    return true;
  }
  bool ReadLongVarint(int max_bytes, absl::string_view what, uint64_t* value);
  bool ReadByte(uint8_t* byte);
  bool ReadBytes(uint64_t size, void* to);
  bool Skip(uint64_t size);
  bool SkipSimpleField(uint32_t tag);  // any but a group
  bool SkipGroup(uint32_t first_tag);
  bool Enter(uint64_t* outer_limit);
  void Leave(uint64_t outer_limit);
  template <typename T>
  bool ReadValue(T* value) {
    return ReadBytes(sizeof(T), value);
  }

  bool Fail(absl::string_view what);  // always false
  bool FailTooMany(absl::string_view what, int64_t max);

  Slices slices_;
  size_t slice_ = 0;  // index of the one that comes after the current one
  const char* next_ = nullptr;
  const char* end_ = nullptr;        // of the current slice, or of the limit where that comes first
  uint64_t end_position_ = 0;        // of end_, in the message
  uint64_t slice_end_position_ = 0;  // of the current slice's end
  uint64_t limit_ = 0;               // position at which the message or sub-message ends
  int depth_left_ = kMaxDepth;
  uint32_t tag_ = 0;  // the last one read, for the error
  absl::Status status_;
};

template <typename Field>
bool Reader::ReadFields(Field field) {
  while (!AtEnd()) {
    uint32_t tag = 0;
    if (!ReadTag(&tag) || !field(tag)) return false;
  }
  return status_.ok();
}

template <typename Field>
bool Reader::ReadMessage(Field field) {
  uint64_t outer_limit = 0;
  if (!Enter(&outer_limit) || !ReadFields(field)) return false;
  Leave(outer_limit);
  return true;
}

template <typename T>
bool Reader::ReadNumber(T* value) {
  uint64_t wide = 0;
  if (!ReadVarint(10, "a number", &wide)) return false;
  *value = static_cast<T>(wide);
  return true;
}

template <typename T>
bool Reader::ReadNumbers(uint32_t tag, int64_t max, absl::string_view what, std::vector<T>* values) {
  const auto read_one = [&] {
    if (static_cast<int64_t>(values->size()) >= max) return FailTooMany(what, max);
    return ReadNumber(&values->emplace_back());
  };
  if (TypeOf(tag) == WireType::kVarint) return read_one();
  uint64_t size = 0;
  if (!ReadLength(&size)) return false;
  const uint64_t outer_limit = limit_;
  SetLimit(position() + size);
  while (!AtEnd()) {
    if (!read_one()) return false;
  }
  SetLimit(outer_limit);
  return true;
}

}  // namespace normd::wire

#endif  // NORMD_WIRE_READER_H_
