// SPDX-License-Identifier: Apache-2.0
#include "npy.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "npy_header.h"

namespace normd {
namespace {

std::string Preamble(const std::string& dictionary, char version = 1) {
  std::string bytes = std::string("\x93NUMPY") + version + '\0';
  bytes += static_cast<char>(dictionary.size() & 0xFF);
  bytes += static_cast<char>(dictionary.size() >> 8);
  if (version > 1) bytes += std::string(2, '\0');
  return bytes + dictionary;
}

std::string Dictionary(const std::string& shape, const std::string& descr = "<f4",
                       const std::string& order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

absl::StatusOr<NpyPreamble> Parse(const std::string& preamble, uint64_t values) {
  return ParseNpyPreamble(preamble, preamble.size() + 4 * values);
}

std::string ErrorOf(const std::string& preamble, uint64_t values = 6) {
  return std::string(Parse(preamble, values).status().message());
}

TEST(Npy, ReadsEachVersionAndRank) {
  for (const char version : {'\1', '\2', '\3'}) {
    const auto preamble = Parse(Preamble(Dictionary("(2, 3)"), version), 6);
    ASSERT_TRUE(preamble.ok()) << preamble.status();
    EXPECT_EQ(preamble->shape, (std::vector<int64_t>{2, 3}));
    EXPECT_EQ(preamble->values, 6u);
  }
  for (const char* shape : {"(6,)", "(1, 6)", "(1, 2, 3)", "(1,1,2,3)"}) {
    EXPECT_TRUE(Parse(Preamble(Dictionary(shape)), 6).ok()) << shape;
  }
  EXPECT_TRUE(Parse(Preamble(Dictionary("(0, 3)")), 0).ok());
}

TEST(Npy, TakesKeysInAnyOrder) {
  EXPECT_TRUE(Parse(Preamble("{\"shape\":(6,),'fortran_order' : False , 'descr':'<f4'}   \n"), 6).ok());
}

TEST(Npy, NamesExpectedAndGot) {
  EXPECT_EQ(ErrorOf(Preamble(Dictionary("(2, 3)", "<f8"))),
            "data type '<f8'; expected '<f4' or '<f2', little-endian float32 or float16");
  EXPECT_EQ(ErrorOf(Preamble(Dictionary("(2, 3)", "<f4", "True"))),
            "Fortran order; expected C order (numpy.ascontiguousarray)");
  EXPECT_EQ(ErrorOf(Preamble(Dictionary("()"))), "rank 0; expected 1 to 4");
  EXPECT_EQ(ErrorOf(Preamble(Dictionary("(1,1,1,2,3)"))), "rank 5; expected 1 to 4");
  EXPECT_EQ(ErrorOf(Preamble(Dictionary("(2, 3)"), 4)), "format version 4; expected 1, 2 or 3");
  EXPECT_EQ(ErrorOf("\x93NUMPX and so on"), "not a .npy file: it does not begin with \\x93NUMPY");
  EXPECT_EQ(ErrorOf(std::string("\x93NUMPY\1\0", 8), 0), "ends after 8 bytes, inside the preamble");
}

TEST(Npy, HoldsTheShapeAgainstTheFile) {
  const std::string preamble = Preamble(Dictionary("(2, 3)"));
  const std::string expected = std::to_string(preamble.size() + 24);
  EXPECT_EQ(ErrorOf(preamble, 5), "has " + std::to_string(preamble.size() + 20) + " bytes; expected " +
                                      expected + " for shape (2, 3)");
  EXPECT_FALSE(Parse(preamble, 7).ok());
  EXPECT_FALSE(Parse(Preamble(Dictionary("(4294967296, 4294967296)")), 0).ok());
  EXPECT_FALSE(Parse(Preamble(Dictionary("(9223372036854775807,)")), 0).ok());
  EXPECT_FALSE(Parse(Preamble(Dictionary("(9223372036854775808,)")), 0).ok());
}

TEST(Npy, RefusesAHeaderLongerThanItsFile) {
  std::string preamble = Preamble(Dictionary("(2, 3)"));
  preamble[8] = '\xFF';
  EXPECT_NE(ErrorOf(preamble, 0).find("its header says 255 bytes; expected at most"), std::string::npos);
}

TEST(NpyDictionary, NamesWhatItExpected) {
  const auto error = [](const char* text) {
    return std::string(ParseNpyDictionary(text).status().message());
  };
  EXPECT_EQ(error(""), "expected '{' at byte 0 of the header");
  EXPECT_EQ(error("{'descr' '<f4'}"), "expected ':' at byte 9 of the header");
  EXPECT_EQ(error("{'descr': <f4}"), "expected a data type in quotes at byte 10 of the header");
  EXPECT_EQ(error("{'fortran_order': 0}"), "expected True or False at byte 18 of the header");
  EXPECT_EQ(error("{'shape': (1 2)}"), "expected ')' at byte 13 of the header");
  EXPECT_EQ(error("{'shape': (-1,)}"), "expected a whole number below 2^63 at byte 11 of the header");
  EXPECT_EQ(error("{} more"), "expected the end of the header at byte 3 of the header");
  EXPECT_NE(error("{'x': 1}"), "");
  EXPECT_NE(error("{'descr': '<f4', 'descr': '<f4'}"), "");
  EXPECT_NE(error("{'descr': '<f4'"), "");
  EXPECT_NE(error("{'descr"), "");
}

TEST(Npy, ReadsWhatItWrote) {
  const std::string path = testing::TempDir() + "normd_npy_test.npy";
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{6}, {2, 3}, {0, 3}, {1, 2, 1, 3}}) {
    NpyArray array{.shape = shape, .values = {}};
    for (int i = 0; shape[0] > 0 && i < 6; ++i) array.values.push_back(static_cast<float>(i) / 3);
    ASSERT_TRUE(WriteNpy(path, array).ok());
    const auto read = ReadNpy(path);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->shape, array.shape);
    EXPECT_EQ(read->values, array.values);
  }
  std::filesystem::remove(path);
}

TEST(Npy, ReadsAndWritesFloat16) {
  const std::string path = testing::TempDir() + "normd_npy_test_f2.npy";
  const NpyArray array{.shape = {3}, .values = {1.5F, 1.0F / 3, -65504.0F}, .data_type = DataType::kFloat16};
  ASSERT_TRUE(WriteNpy(path, array).ok());
  const auto read = ReadNpy(path);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->data_type, DataType::kFloat16);
  EXPECT_EQ(read->values, (std::vector<float>{1.5F, 0.33325195F, -65504.0F}));
  EXPECT_EQ(std::filesystem::file_size(path), NpyHeaderBytes({3}, DataType::kFloat16).size() + 6);
  std::filesystem::remove(path);
}

TEST(Npy, WritesTheHeaderAsNumPyDoes) {
  const std::string bytes = NpyHeaderBytes({2, 3});
  EXPECT_EQ(bytes.size() % 64, 0u);
  EXPECT_EQ(bytes.back(), '\n');
  EXPECT_EQ(bytes.substr(10, 61), "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }  ");
}

TEST(Npy, SaysWhichFile) {
  EXPECT_EQ(ReadNpy("/nowhere/in.npy").status(),
            absl::NotFoundError("/nowhere/in.npy: No such file or directory"));
  EXPECT_FALSE(WriteNpy("/nowhere/out.npy", {.shape = {1}, .values = {1}}).ok());
}

}  // namespace
}  // namespace normd
