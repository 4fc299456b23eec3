// SPDX-License-Identifier: Apache-2.0
//
// Messages in the wire format as other writers, careless ones and hostile ones send them.

#ifndef NORMD_TESTS_WIRE_MESSAGE_MAKER_H_
#define NORMD_TESTS_WIRE_MESSAGE_MAKER_H_

#include <google/protobuf/descriptor.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "random.h"

namespace normd {

// Half of the messages are valid, in any of the forms that the format allows: fields in any order and more
// than once, merged sub-messages, numbers packed and unpacked, over-long varints, unknown fields and groups,
// fields of another wire type. The other half has a few things wrong: with a field (numbers, wire types,
// lengths, groups without end, depth, UTF-8) or with the bytes (cut off, flipped, spliced).
class MessageMaker {
 public:
  explicit MessageMaker(uint64_t seed) : random_(seed) {}

  std::string Make(const google::protobuf::Descriptor* type);

  Random* random() { return &random_; }

 private:
  // Whether to do something wrong now.
  bool Err(uint64_t one_in) { return erring_ && random_.OneIn(one_in); }

  std::string Fields(const google::protobuf::Descriptor* type, int most);
  std::string Field(const google::protobuf::FieldDescriptor& field);
  std::string Packed(const google::protobuf::FieldDescriptor& field);
  std::string Value(const google::protobuf::FieldDescriptor& field);
  std::string UnknownField(const google::protobuf::Descriptor* type, int depth);
  std::string Group(uint64_t number, const google::protobuf::Descriptor* type, int depth);
  std::string NestedGroups();
  std::string WrongField();

  std::string Tag(uint64_t number, uint64_t wire_type);
  std::string Varint(uint64_t value, size_t longest);
  std::string Delimited(std::string_view body);
  std::string Number();
  std::string Text();
  std::string Bytes(size_t size);

  void Damage(std::string* message);

  Random random_;
  bool erring_ = false;
  std::string previous_;  // what a splice takes its bytes from
};

}  // namespace normd

#endif  // NORMD_TESTS_WIRE_MESSAGE_MAKER_H_
