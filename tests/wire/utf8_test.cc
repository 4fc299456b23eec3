// SPDX-License-Identifier: Apache-2.0
#include "wire/utf8.h"

#include <google/protobuf/stubs/logging.h>
#include <gtest/gtest.h>

#include <string>

#include "normd/v1/normalizer.pb.h"

namespace normd::wire {
namespace {

// protobuf's own rule: it refuses a message with a string that is not UTF-8.
bool ProtobufTakes(const std::string& text) {
  const std::string field = std::string("\x0A") + static_cast<char>(text.size()) + text;
  return v1::Layer().ParseFromString(field);
}

void ExpectTheSame(const std::string& text) {
  ASSERT_EQ(IsUtf8(text), ProtobufTakes(text)) << testing::PrintToString(text);
}

TEST(Utf8Test, AgreesWithProtobufOnAllSequencesOfTwoBytesAndOnEachEdgeOfThreeAndFour) {
  google::protobuf::SetLogHandler(nullptr);
  constexpr unsigned char kEdges[] = {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F,
                                      0xA0, 0xBF, 0xC0, 0xC2, 0xE0, 0xF0, 0xFF};
  const auto text = [](auto... bytes) { return std::string{static_cast<char>(bytes)...}; };
  for (int first = 0; first < 256; ++first) {
    ExpectTheSame(text(first));
    for (int second = 0; second < 256; ++second) {
      ExpectTheSame(text(first, second));
      for (unsigned char third : kEdges) {
        ExpectTheSame(text(first, second, third));
        for (unsigned char fourth : kEdges) ExpectTheSame(text(first, second, third, fourth));
      }
    }
  }
}

TEST(Utf8Test, TakesNulAndTheLastCharacter) {
  EXPECT_TRUE(IsUtf8(std::string_view("\0", 1)));
  EXPECT_TRUE(IsUtf8("\xF4\x8F\xBF\xBF"));
  EXPECT_FALSE(IsUtf8("a\xED\xA0\x80"));
}

}  // namespace
}  // namespace normd::wire
