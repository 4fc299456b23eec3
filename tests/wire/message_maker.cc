// SPDX-License-Identifier: Apache-2.0
#include "message_maker.h"

#include <array>
#include <vector>

namespace normd {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

constexpr uint64_t kVarint = 0;
constexpr uint64_t kFixed64 = 1;
constexpr uint64_t kDelimited = 2;
constexpr uint64_t kGroup = 3;
constexpr uint64_t kEndGroup = 4;
constexpr uint64_t kFixed32 = 5;

uint64_t WireTypeOf(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_FLOAT:
      return kFixed32;
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return kFixed64;
    case FieldDescriptor::CPPTYPE_STRING:
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return kDelimited;
    default:
      return kVarint;
  }
}

}  // namespace

std::string MessageMaker::Make(const Descriptor* type) {
  erring_ = random_.OneIn(2);
  std::string message = Fields(type, 10);
  if (Err(2)) Damage(&message);
  previous_ = message;
  return message;
}

// Messages and groups nest; `depth`, and fewer fields the deeper they stand, bring the recursion to its end.
// NOLINTBEGIN(misc-no-recursion)
std::string MessageMaker::Fields(const Descriptor* type, int most) {
  std::string fields;
  for (uint64_t i = random_.Below(static_cast<uint64_t>(most) + 1); i > 0; --i) {
    if (random_.OneIn(8)) {
      fields += UnknownField(type, 4);
    } else if (Err(20)) {
      fields += WrongField();
    } else {
      fields +=
          Field(*type->field(static_cast<int>(random_.Below(static_cast<uint64_t>(type->field_count())))));
    }
    if (random_.OneIn(50)) fields += NestedGroups();
  }
  return fields;
}

std::string MessageMaker::Field(const FieldDescriptor& field) {
  const auto number = static_cast<uint64_t>(field.number());
  if (field.is_packable() && random_.OneIn(2)) return Tag(number, kDelimited) + Packed(field);
  return Tag(number, WireTypeOf(field)) + Value(field);
}

std::string MessageMaker::Packed(const FieldDescriptor& field) {
  std::string body;
  for (uint64_t i = random_.Below(20); i > 0; --i) body += Value(field);
  if (Err(10)) body.resize(random_.Below(body.size() + 1));
  return Delimited(body);
}

std::string MessageMaker::Value(const FieldDescriptor& field) {
  switch (field.type()) {
    case FieldDescriptor::TYPE_MESSAGE:
      return Delimited(Fields(field.message_type(), 5));
    case FieldDescriptor::TYPE_STRING:
      return Delimited(Text());
    case FieldDescriptor::TYPE_BYTES:
      return Delimited(Bytes(random_.Below(random_.OneIn(10) ? 1000 : 20)));
    case FieldDescriptor::TYPE_FLOAT:
      return Bytes(4);
    case FieldDescriptor::TYPE_DOUBLE:
      return Bytes(8);
    default:
      return Number();
  }
}

// Of a number nobody has given, or of one of ours with any wire type.
std::string MessageMaker::UnknownField(const Descriptor* type, int depth) {
  constexpr std::array<uint64_t, 5> kWireTypes = {kVarint, kFixed64, kDelimited, kGroup, kFixed32};
  const uint64_t number =
      random_.OneIn(2) ? 1 + random_.Below(15) : 1 + random_.AnyMagnitude() % ((1 << 29) - 1);
  const uint64_t wire_type = kWireTypes[random_.Below(kWireTypes.size())];
  switch (wire_type) {
    case kVarint:
      return Tag(number, wire_type) + Number();
    case kFixed64:
      return Tag(number, wire_type) + Bytes(8);
    case kDelimited:
      return Tag(number, wire_type) + Delimited(Bytes(random_.Below(20)));
    case kGroup:
      return Group(number, type, depth);
    default:
      return Tag(number, wire_type) + Bytes(4);
  }
}

std::string MessageMaker::Group(uint64_t number, const Descriptor* type, int depth) {
  std::string inner = depth > 0 ? UnknownField(type, depth - 1) : "";
  if (random_.OneIn(2)) inner += Fields(type, 2);
  if (Err(10)) return Tag(number, kGroup) + inner;
  const uint64_t end_number = Err(10) ? number + 1 : number;
  return Tag(number, kGroup) + inner + Tag(end_number, kEndGroup);
}

// NOLINTEND(misc-no-recursion)

// protobuf allows a hundred levels; a few more are wrong wherever they stand.
std::string MessageMaker::NestedGroups() {
  const uint64_t depth = Err(2) ? 101 + random_.Below(3) : 90 + random_.Below(9);
  std::string open;
  std::string close;
  for (uint64_t i = 0; i < depth; ++i) {
    open += Tag(16 + i, kGroup);
    close.insert(0, Tag(16 + i, kEndGroup));
  }
  return open + close;
}

std::string MessageMaker::WrongField() {
  switch (random_.Below(5)) {
    case 0:
      return Tag(0, random_.Below(6)) + Bytes(random_.Below(9));
    case 1:
      return Tag(1 + random_.Below(20), 6 + random_.Below(2)) + Bytes(random_.Below(9));
    case 2:
      return Tag(1 + random_.Below(20), kEndGroup);
    case 3:  // a varint without end
      return Tag(1 + random_.Below(7), kVarint) + std::string(9 + random_.Below(4), '\xFF') + '\x01';
    default:  // a length near or over what is left
      return Tag(1 + random_.Below(20), kDelimited) + Varint(random_.AnyMagnitude(), 5) +
             Bytes(random_.Below(9));
  }
}

// The bits of the fifth byte that do not fit are dropped by those who read it.
std::string MessageMaker::Tag(uint64_t number, uint64_t wire_type) {
  uint64_t tag = (number << 3 | wire_type) & 0xFFFFFFFF;
  if (random_.OneIn(30)) tag |= random_.Below(8) << 32;
  return Varint(tag, Err(100) ? 6 : 5);
}

// Now and then longer than it need be, by bytes that add nothing; at most `longest` bytes for a value that
// fits.
std::string MessageMaker::Varint(uint64_t value, size_t longest) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  bytes += static_cast<char>(value);
  if (bytes.size() >= longest || !random_.OneIn(20)) return bytes;
  const size_t more = 1 + random_.Below(longest - bytes.size());
  bytes.back() = static_cast<char>(bytes.back() | '\x80');
  return bytes + std::string(more - 1, '\x80') + '\0';
}

std::string MessageMaker::Delimited(std::string_view body) {
  uint64_t size = body.size();
  if (Err(60)) size += random_.Below(9) - 4;
  return Varint(size, Err(100) ? 6 : 5).append(body);
}

std::string MessageMaker::Number() {
  if (random_.OneIn(3)) return Varint(random_.Below(200), 10);
  if (random_.OneIn(30)) {  // ten bytes, of which the last has bits above the 64th
    return std::string(9, static_cast<char>(0x80 | random_.Below(128))) +
           static_cast<char>(random_.Below(128));
  }
  return Varint(random_.OneIn(4) ? ~random_.AnyMagnitude() : random_.AnyMagnitude(), Err(50) ? 11 : 10);
}

std::string MessageMaker::Text() {
  constexpr std::array<std::string_view, 9> kPieces = {"a",
                                                       "layer_norm",
                                                       std::string_view("\0", 1),
                                                       "\xC2\x80",
                                                       "\xDF\xBF",
                                                       "\xE0\xA0\x80",
                                                       "\xED\x9F\xBF",
                                                       "\xF0\x90\x80\x80",
                                                       "\xF4\x8F\xBF\xBF"};
  constexpr std::array<std::string_view, 9> kWrong = {"\x80",
                                                      "\xC1\x81",
                                                      "\xE0\x9F\x80",
                                                      "\xED\xA0\x80",
                                                      "\xF0\x8F\x80\x80",
                                                      "\xF4\x90\x80\x80",
                                                      "\xFF",
                                                      "\xF8\x88\x80\x80\x80",
                                                      "\xE2\x82"};
  std::string text;
  for (uint64_t i = random_.Below(6); i > 0; --i) text += kPieces[random_.Below(kPieces.size())];
  if (Err(15)) text += kWrong[random_.Below(kWrong.size())];
  if (Err(30)) text += Bytes(4);
  if (Err(15)) text += kPieces[random_.Below(kPieces.size())];
  return text;
}

std::string MessageMaker::Bytes(size_t size) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random_.Bits());
  return bytes;
}

void MessageMaker::Damage(std::string* message) {
  const size_t at = random_.Below(message->size() + 1);
  switch (random_.Below(6)) {
    case 0:
      message->resize(at);
      break;
    case 1:
      message->erase(at, random_.Below(4));
      break;
    case 2:
      message->insert(at, Bytes(1 + random_.Below(3)));
      break;
    case 3:
      message->replace(at, std::string::npos, previous_, random_.Below(previous_.size() + 1));
      break;
    default:
      if (at < message->size()) (*message)[at] = static_cast<char>((*message)[at] ^ (1 << random_.Below(8)));
  }
}

}  // namespace normd
