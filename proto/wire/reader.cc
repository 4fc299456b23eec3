// SPDX-License-Identifier: Apache-2.0
#include "wire/reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "wire/utf8.h"

namespace normd::wire {

static_assert(std::endian::native == std::endian::little, "fixed-width fields are read as they lie");

void CopyBytes(Slices message, ByteRange range, void* to) {
  auto* out = static_cast<char*>(to);
  for (std::string_view slice : message) {
    if (range.size == 0) return;
    if (range.offset >= slice.size()) {
      range.offset -= slice.size();
      continue;
    }
    const uint64_t here = std::min<uint64_t>(range.size, slice.size() - range.offset);
    std::memcpy(out, slice.data() + range.offset, here);
    out += here;
    range = {0, range.size - here};
  }
}

Reader::Reader(Slices message) : slices_(message) {
  for (std::string_view slice : message) limit_ += slice.size();
  if (limit_ > kMaxMessage) {
    Fail(absl::StrCat("a message of ", limit_, " bytes, where at most ", kMaxMessage, " are allowed"));
    limit_ = 0;
  }
  Advance();
}

void Reader::Advance() {
  while (AtEnd() && end_position_ < limit_) {
    const std::string_view slice = slices_[slice_++];
    next_ = end_ = slice.data();
    slice_end_position_ = end_position_ + slice.size();
    PlaceEnd();
  }
}

void Reader::PlaceEnd() {
  const uint64_t end_position = std::min(slice_end_position_, limit_);
  end_ += static_cast<int64_t>(end_position - end_position_);
  end_position_ = end_position;
}

void Reader::SetLimit(uint64_t limit) {
  limit_ = limit;
  PlaceEnd();
  Advance();
}

bool Reader::Fail(absl::string_view what) {
  if (!status_.ok()) return false;
  const std::string field = tag_ == 0 ? "" : absl::StrCat(" (field ", tag_ >> 3, ")");
  status_ =
      absl::InvalidArgumentError(absl::StrCat("malformed message at byte ", position(), field, ": ", what));
  return false;
}

bool Reader::FailTooMany(absl::string_view what, int64_t max) {
  status_ = absl::InvalidArgumentError(absl::StrCat("more than ", max, " ", what));
  return false;
}

bool Reader::ReadByte(uint8_t* byte) {
  if (AtEnd()) return false;
  *byte = static_cast<uint8_t>(*next_++);
  if (AtEnd()) Advance();
  return true;
}

// Bits above the 64th are dropped, as protobuf does.
bool Reader::ReadLongVarint(int max_bytes, absl::string_view what, uint64_t* value) {
  uint64_t sum = 0;
  for (int i = 0; i < max_bytes; ++i) {
    uint8_t byte = 0;
    if (!ReadByte(&byte)) return Fail(absl::StrCat("it ends inside ", what));
    sum |= static_cast<uint64_t>(byte & 0x7F) << (7 * i);
    if (byte < 0x80) {
      *value = sum;
      return true;
    }
  }
  return Fail(absl::StrCat(what, " of more than ", max_bytes, " bytes"));
}

// Bits above the 32nd are dropped, as protobuf does; it refuses field number 0 wherever it stands.
bool Reader::ReadTag(uint32_t* tag) {
  uint64_t wide = 0;
  if (!ReadVarint(5, "a tag", &wide)) return false;
  *tag = tag_ = static_cast<uint32_t>(wide);
  return *tag >> 3 != 0 || Fail("a field number of 0");
}

bool Reader::ReadLength(uint64_t* length) {
  if (!ReadVarint(5, "a length", length)) return false;
  const uint64_t left = limit_ - position();
  if (*length > std::min(left, kMaxLength)) {
    return Fail(absl::StrCat("a length of ", *length, " bytes, where ", left, " bytes are left"));
  }
  return true;
}

bool Reader::ReadBytes(uint64_t size, void* to) {
  auto* out = static_cast<char*>(to);
  while (size > 0) {
    if (AtEnd()) return Fail("it ends inside a field");
    const uint64_t here = std::min<uint64_t>(size, static_cast<uint64_t>(end_ - next_));
    std::memcpy(out, next_, here);
    out += here;
    size -= here;
    next_ += here;
    Advance();
  }
  return true;
}

bool Reader::Skip(uint64_t size) {
  while (size > 0) {
    if (AtEnd()) return Fail("it ends inside a field");
    const uint64_t here = std::min<uint64_t>(size, static_cast<uint64_t>(end_ - next_));
    size -= here;
    next_ += here;
    Advance();
  }
  return true;
}

bool Reader::SkipField(uint32_t tag) {
  return TypeOf(tag) == WireType::kGroup ? SkipGroup(tag) : SkipSimpleField(tag);
}

bool Reader::SkipSimpleField(uint32_t tag) {
  uint64_t value = 0;
  switch (TypeOf(tag)) {
    case WireType::kVarint:
      return ReadVarint(10, "a number", &value);
    case WireType::kFixed64:
      return Skip(8);
    case WireType::kBytes:
      return ReadLength(&value) && Skip(value);
    case WireType::kEndGroup:
      return Fail("the end of a group that did not begin");
    case WireType::kFixed32:
      return Skip(4);
    default:
      break;
  }
  return Fail(absl::StrCat("wire type ", tag & 7));
}

// Without recursion, so that what is sent cannot use up the stack.
bool Reader::SkipGroup(uint32_t first_tag) {
  std::array<uint32_t, kMaxDepth> open;  // the numbers of the groups we are in
  int depth = 0;
  uint32_t tag = first_tag;
  do {
    if (TypeOf(tag) == WireType::kGroup) {
      if (depth == depth_left_)
        return Fail(absl::StrCat("more than ", kMaxDepth, " levels of messages and groups"));
      open[static_cast<size_t>(depth++)] = tag >> 3;
    } else if (TypeOf(tag) == WireType::kEndGroup) {
      if (open[static_cast<size_t>(--depth)] != tag >> 3) return Fail("the end of another group");
    } else if (!SkipSimpleField(tag)) {
      return false;
    }
    if (depth > 0 && !ReadTag(&tag)) return false;
  } while (depth > 0);
  return true;
}

bool Reader::Enter(uint64_t* outer_limit) {
  uint64_t size = 0;
  if (!ReadLength(&size)) return false;
  if (--depth_left_ < 0) return Fail(absl::StrCat("more than ", kMaxDepth, " levels of messages and groups"));
  *outer_limit = limit_;
  SetLimit(position() + size);
  return true;
}

void Reader::Leave(uint64_t outer_limit) {
  ++depth_left_;
  SetLimit(outer_limit);
}

bool Reader::ReadString(std::string* value) {
  uint64_t size = 0;
  if (!ReadLength(&size)) return false;
  if (size < static_cast<uint64_t>(end_ - next_)) {
    value->assign(next_, size);
    next_ += size;
  } else {
    value->resize(size);
    if (!ReadBytes(size, value->data())) return false;
  }
  return IsUtf8(*value) || Fail("a string that is not UTF-8");
}

bool Reader::ReadRange(std::optional<ByteRange>* range) {
  uint64_t size = 0;
  if (!ReadLength(&size)) return false;
  *range = ByteRange{position(), size};
  return Skip(size);
}

bool Reader::ReadFloats(uint32_t tag, std::vector<float>* values) {
  if (TypeOf(tag) == WireType::kFixed32) return ReadFloat(&values->emplace_back());
  uint64_t size = 0;
  if (!ReadLength(&size)) return false;
  if (size % sizeof(float) != 0) return Fail(absl::StrCat(size, " bytes of float32 values"));
  const size_t before = values->size();
  values->resize(before + size / sizeof(float));
  return ReadBytes(size, values->data() + before);
}

}  // namespace normd::wire
