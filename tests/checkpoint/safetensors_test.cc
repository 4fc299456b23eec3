// SPDX-License-Identifier: Apache-2.0

#include "safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "safetensors_bytes.h"

namespace normd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(SafetensorsFile, ReadsWhatWasWritten) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("a.safetensors", SafetensorsBuilder()
                                                             .Metadata("format", "pt")
                                                             .Tensor("odd", "U8", {1}, "x")
                                                             .F32("a", {1.5F, -2.0F})
                                                             .Halves("h", "F16", {0x3C00, 0x0001})
                                                             .Halves("b", "BF16", {0xC000})
                                                             .Bytes());
  const absl::StatusOr<SafetensorsFile> file = SafetensorsFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->metadata().at("format"), "pt");
  EXPECT_EQ(file->tensors().size(), 4U);
  EXPECT_THAT(file->ReadFloats("a").value(), ElementsAre(1.5F, -2.0F)) << "at an odd address";
  EXPECT_THAT(file->ReadFloats("h").value(), ElementsAre(1.0F, 0x1p-24F));
  EXPECT_THAT(file->ReadFloats("b").value(), ElementsAre(-2.0F));
}

TEST(SafetensorsFile, NamesFileTensorAndDtypeItCannotRead) {
  const TemporaryFolder folder;
  const std::string path =
      folder.Write("a.safetensors", SafetensorsBuilder().Tensor("i", "I8", {1}, "x").Bytes());
  const absl::StatusOr<SafetensorsFile> file = SafetensorsFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  const absl::Status wrong = file->ReadFloats("i").status();
  EXPECT_EQ(wrong.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(wrong.message()),
              testing::AllOf(HasSubstr(path), HasSubstr("\"i\""), HasSubstr("\"I8\"")));
  EXPECT_EQ(file->ReadFloats("nothing").status().code(), absl::StatusCode::kNotFound);
}

TEST(SafetensorsFile, SaysWhyAFileCannotBeOpened) {
  const TemporaryFolder folder;
  const absl::Status missing = SafetensorsFile::Open(folder.path() + "/no\nne").status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(missing.message()), HasSubstr("no\\nne"));
  EXPECT_THAT(std::string(SafetensorsFile::Open(folder.path()).status().message()), HasSubstr("is a folder"));
  EXPECT_THAT(std::string(SafetensorsFile::Open(folder.Write("e", "")).status().message()),
              HasSubstr("is empty"));
  EXPECT_THAT(std::string(SafetensorsFile::Open("/dev/null").status().message()),
              HasSubstr("not a regular file"));
}

TEST(SafetensorsFile, ErrorsNameTheFile) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("bad.safetensors", "12345678{}");
  EXPECT_THAT(std::string(SafetensorsFile::Open(path).status().message()), HasSubstr(path));
}

TEST(SafetensorsHeader, AcceptsTheWholeFormat) {
  // Keys in any order, spaces behind, a scalar, an empty tensor, packed values, and a dtype of some later
  // version.
  const std::string header =
      R"({"s":{"shape":[],"data_offsets":[0,4],"dtype":"F32"},"e":{"dtype":"I64","shape":[0,9],"data_offsets":[4,4]},)"
      R"("p":{"dtype":"F4","shape":[4],"data_offsets":[4,6]},"n":{"dtype":"Q1","shape":[8],"data_offsets":[6,7]}}   )";
  const absl::StatusOr<SafetensorsHeader> parsed = ParseSafetensorsHeader(Safetensors(header, "1234567"));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->tensors.size(), 4U);
  EXPECT_EQ(parsed->data_begin, static_cast<int64_t>(8 + header.size()));
  EXPECT_TRUE(ParseSafetensorsHeader(Safetensors("{}")).ok());
}

TEST(SafetensorsHeader, IsAtMost100MillionBytes) {
  std::string spaces;
  spaces.resize(99'999'999, ' ');
  EXPECT_TRUE(ParseSafetensorsHeader(Safetensors("{}" + spaces.substr(1))).ok());
  const absl::Status status = ParseSafetensorsHeader(Safetensors("{}" + spaces)).status();
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("a header of 100000001 bytes, expected at most 100000000"));
}

struct BadFile {
  const char* name;
  std::string bytes;
  const char* error;  // a part of the text
};

// In the place of an address, which would make ctest's list another one each time.
void PrintTo(const BadFile& file, std::ostream* out) { *out << file.name; }

std::string OneTensor(const std::string& entry, std::string_view data = "12345678") {
  return Safetensors("{\"t\":" + entry + "}", data);
}

class MalformedFile : public testing::TestWithParam<BadFile> {};

TEST_P(MalformedFile, IsRefusedWithItsReason) {
  const absl::Status status = ParseSafetensorsHeader(GetParam().bytes).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().error));
  EXPECT_LE(status.message().size(), 1024U);
}

std::string Entry(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

std::string Ones(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += ",1";
  }
  return text;
}

// The length in front of the header.
INSTANTIATE_TEST_SUITE_P(Length, MalformedFile,
                         testing::Values(BadFile{"seven_bytes", "1234567", "7 bytes, expected at least 8"},
                                         BadFile{"beyond_the_file", RawSafetensors(3, "{}", ""),
                                                 "a header of 3 bytes, expected at most 2"},
                                         BadFile{"largest", RawSafetensors(UINT64_MAX, "{}", ""),
                                                 "expected at most 2"},
                                         BadFile{"zero", RawSafetensors(0, "", ""), "does not begin with {"},
                                         BadFile{"cut_short", RawSafetensors(1, "{}", ""), "not JSON"}),
                         [](const auto& test) { return test.param.name; });

// The header's text.
INSTANTIATE_TEST_SUITE_P(
    Text, MalformedFile,
    testing::Values(
        BadFile{"array", Safetensors("[]"), "does not begin with {"},
        BadFile{"byte_order_mark", Safetensors("\xEF\xBB\xBF{}"), "does not begin with {"},
        BadFile{"not_json", Safetensors("{\"a\":}"), "not JSON from its byte 6"},
        BadFile{"text_after", Safetensors("{} {}"), "not JSON"},
        BadFile{"invalid_utf8", Safetensors("{\"\xFF\":1}"), "not JSON"},
        BadFile{"number_beyond_double", OneTensor(Entry("F32", "[1e999]", "[0,8]")), "not JSON"},
        BadFile{"deep", Safetensors("{\"a\":" + std::string(1'000'000, '[')),
                "expected an object, got an array"},
        BadFile{"deep_objects", OneTensor(R"({"shape":{"a":{}}})"), "got an object"},
        BadFile{"deep_array", OneTensor(R"({"shape":[[1]]})"), "got an array"},
        BadFile{"long_name", Safetensors("{\"" + std::string(100'000, '\x01') + "\":1}"), "not JSON"},
        BadFile{"long_dtype", OneTensor(Entry(std::string(100'000, 'F'), "[1]", "[8,0]")), "in order"}),
    [](const auto& test) { return test.param.name; });

// The form of an entry.
INSTANTIATE_TEST_SUITE_P(
    Form, MalformedFile,
    testing::Values(
        BadFile{"entry_null", OneTensor("null"), "\"t\": expected an object, got null"},
        BadFile{"entry_text", OneTensor("\"x\""), "expected an object, got a string"},
        BadFile{"no_offsets", OneTensor(R"({"dtype":"F32","shape":[2]})"), "not all are there"},
        BadFile{"unknown_key", OneTensor(R"({"stride":[1]})"), "key \"stride\": unknown"},
        BadFile{"dtype_twice", OneTensor(R"({"dtype":"F32","dtype":"F16"})"), "key \"dtype\": stands twice"},
        BadFile{"dtype_number", OneTensor(R"({"dtype":32})"), "expected a string, got a number"},
        BadFile{"dtype_array", OneTensor(R"({"dtype":["F32"]})"), "expected a string, got an array"},
        BadFile{"shape_negative", OneTensor(Entry("F32", "[-2]", "[0,8]")), "got a negative number"},
        BadFile{"shape_fraction", OneTensor(Entry("F32", "[2.0]", "[0,8]")), "no 64-bit integer"},
        BadFile{"shape_boolean", OneTensor(Entry("F32", "[true]", "[0,8]")), "got a boolean"},
        BadFile{"shape_text", OneTensor(Entry("F32", "[\"2\"]", "[0,8]")), "got a string"},
        BadFile{"shape_over_int64", OneTensor(Entry("F32", "[9223372036854775808]", "[0,8]")), "over 922"},
        BadFile{"shape_over_uint64", OneTensor(Entry("F32", "[18446744073709551616]", "[0,8]")), "64-bit"},
        BadFile{"offsets_one", OneTensor(Entry("F32", "[2]", "[8]")), "expected 2 numbers, got 1"},
        BadFile{"offsets_three", OneTensor(Entry("F32", "[2]", "[0,8,8]")), "expected 2 numbers, got 3"},
        BadFile{"metadata_number", Safetensors(R"({"__metadata__":{"a":1}})"),
                "expected a string, got a number"},
        BadFile{"metadata_text", Safetensors(R"({"__metadata__":"a"})"), "expected an object, got a string"},
        BadFile{"metadata_twice", Safetensors(R"({"__metadata__":{},"__metadata__":{}})"), "stands twice"},
        BadFile{"metadata_key_twice", Safetensors(R"({"__metadata__":{"a":"","a":""}})"), "stands twice"},
        BadFile{"many_dimensions", OneTensor("{\"shape\":[1" + Ones(64) + "]}"), "more than 64 numbers"}),
    [](const auto& test) { return test.param.name; });

// Sizes and places.
INSTANTIATE_TEST_SUITE_P(
    Sizes, MalformedFile,
    testing::Values(
        BadFile{"short", OneTensor(Entry("F32", "[3]", "[0,8]")),
                "F32 [3] takes 12 bytes, data_offsets hold 8"},
        BadFile{"long", OneTensor(Entry("F16", "[3]", "[0,8]")),
                "F16 [3] takes 6 bytes, data_offsets hold 8"},
        BadFile{"backwards", OneTensor(Entry("F32", "[2]", "[8,0]")),
                "[8, 0], expected within [0, 8] and in order"},
        BadFile{"beyond_the_data", OneTensor(Entry("F32", "[3]", "[0,12]")),
                "[0, 12], expected within [0, 8]"},
        BadFile{"product_overflows", OneTensor(Entry("F32", "[4294967296,4294967296]", "[0,0]")),
                "overflows"},
        BadFile{"bits_overflow", OneTensor(Entry("F32", "[576460752303423488]", "[0,0]")), "overflows"},
        BadFile{"half_a_byte", OneTensor(Entry("F4", "[3]", "[0,2]")), "no whole number of bytes"},
        BadFile{"not_all_data", OneTensor(Entry("F32", "[1]", "[0,4]")), "take 4 bytes, the file holds 8"},
        BadFile{"gap", OneTensor(Entry("F32", "[1]", "[4,8]")), "begins at byte 4 of the data, expected 0"},
        BadFile{"overlap",
                Safetensors("{\"a\":" + Entry("F32", "[1]", "[0,4]") +
                                ",\"b\":" + Entry("F32", "[1]", "[2,6]") + "}",
                            "123456"),
                "tensor \"b\": begins at byte 2 of the data, expected 4"},
        BadFile{"twice",
                Safetensors("{\"a\":" + Entry("U8", "[0]", "[0,0]") +
                            ",\"a\":" + Entry("U8", "[0]", "[0,0]") + "}"),
                "tensor \"a\": stands twice"}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace normd
