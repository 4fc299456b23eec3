// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cut.h"
#include "normd/v1/normalizer.pb.h"
#include "wire/normalize_request.h"

namespace normd::wire {
namespace {

using ::testing::TestWithParam;

absl::Status Read(std::string_view bytes, NormalizeRequest* request, const ReadLimits& limits = {}) {
  const std::vector<std::string_view> slices = {bytes};
  return ReadNormalizeRequest(slices, limits, request);
}

std::string TextOf(const absl::Status& status) { return std::string(status.message()); }

std::string TypicalRequest() {
  v1::NormalizeRequest request;
  request.set_layer("minilm/embeddings.LayerNorm");
  request.set_request_id("a request");
  request.set_hidden(384);
  for (int64_t count : {6, 0, 300}) request.add_token_counts(count);
  request.add_outputs(v1::RSTD);
  request.set_residual("residual");
  request.set_data("the tokens' bytes");
  return request.SerializeAsString();
}

void ExpectTypical(const NormalizeRequest& request, Slices slices) {
  EXPECT_EQ(request.layer, "minilm/embeddings.LayerNorm");
  EXPECT_EQ(request.request_id, "a request");
  EXPECT_EQ(request.hidden, 384);
  EXPECT_EQ(request.token_counts, (std::vector<int64_t>{6, 0, 300}));
  EXPECT_EQ(request.outputs, (std::vector<int32_t>{3}));
  ASSERT_TRUE(request.data.has_value());
  std::string data(request.data->size, '\0');
  CopyBytes(slices, *request.data, data.data());
  EXPECT_EQ(data, "the tokens' bytes");
}

TEST(RequestTest, ReadsFieldsThatStraddleSlicesAtEachByte) {
  const std::string bytes = TypicalRequest();
  NormalizeRequest request;
  for (size_t cut = 0; cut <= bytes.size(); ++cut) {
    const CutMessage message(bytes, {cut, 0, 1});
    ASSERT_TRUE(ReadNormalizeRequest(message.slices(), {}, &request).ok()) << cut;
    ExpectTypical(request, message.slices());
  }
}

TEST(RequestTest, LeavesPayloadsWhereTheyLie) {
  const std::string bytes = TypicalRequest();
  NormalizeRequest request;
  ASSERT_TRUE(Read(bytes, &request).ok());
  EXPECT_EQ(request.data->offset + request.data->size, bytes.size());
  EXPECT_EQ(bytes.substr(request.residual->offset, request.residual->size), "residual");
}

TEST(RequestTest, RefusesEachTruncation) {
  const std::string bytes = TypicalRequest();
  v1::NormalizeRequest by_protobuf;
  NormalizeRequest request;
  for (size_t size = 0; size < bytes.size(); ++size) {
    const bool valid = by_protobuf.ParseFromString(bytes.substr(0, size));
    EXPECT_EQ(Read(bytes.substr(0, size), &request).ok(), valid) << size;
  }
}

TEST(RequestTest, AnEmptyMessageIsAnEmptyRequestWhateverCameBefore) {
  NormalizeRequest request;
  ASSERT_TRUE(Read(TypicalRequest(), &request).ok());
  ASSERT_TRUE(ReadNormalizeRequest({}, {}, &request).ok());
  EXPECT_EQ(request.layer, "");
  EXPECT_FALSE(request.has_parameters);
  EXPECT_TRUE(request.token_counts.empty());
  EXPECT_FALSE(request.data.has_value());
}

TEST(RequestTest, KeepsItsMemory) {
  NormalizeRequest request;
  ASSERT_TRUE(Read(TypicalRequest(), &request).ok());
  const int64_t* counts = request.token_counts.data();
  const char* layer = request.layer.data();
  ASSERT_TRUE(Read(TypicalRequest(), &request).ok());
  EXPECT_EQ(request.token_counts.data(), counts);
  EXPECT_EQ(request.layer.data(), layer);
}

struct BadMessage {
  const char* name;
  std::string bytes;
  std::string text;  // of the error
};

void PrintTo(const BadMessage& bad, std::ostream* out) { *out << bad.name; }

class BadMessageTest : public TestWithParam<BadMessage> {};

TEST_P(BadMessageTest, IsRefusedWithWhatAndWhere) {
  NormalizeRequest request;
  const absl::Status status = Read(GetParam().bytes, &request);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(TextOf(status), GetParam().text);
}

using std::string_literals::operator""s;

INSTANTIATE_TEST_SUITE_P(
    All, BadMessageTest,
    testing::Values(
        BadMessage{"length",
                   "\x0A\x05"
                   "abc",
                   "malformed message at byte 2 (field 1): a length of 5 bytes, where 3 bytes are left"},
        BadMessage{"utf8", "\x1A\x02\xC0\x80",
                   "malformed message at byte 4 (field 3): a string that is not UTF-8"},
        BadMessage{"number_0", "\x28\x05\x02\x00"s,
                   "malformed message at byte 3 (field 0): a field number of 0"},
        BadMessage{"wire_type", "\x2E", "malformed message at byte 1 (field 5): wire type 6"},
        BadMessage{"stray_end", "\x2C",
                   "malformed message at byte 1 (field 5): the end of a group that did not begin"},
        BadMessage{"other_end", "\x2B\x34",
                   "malformed message at byte 2 (field 6): the end of another group"},
        BadMessage{"open_group", "\x2B", "malformed message at byte 1 (field 5): it ends inside a tag"},
        BadMessage{"varint", "\x28\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01",
                   "malformed message at byte 11 (field 5): a number of more than 10 bytes"},
        BadMessage{"floats",
                   "\x42\x03"
                   "abc",
                   "malformed message at byte 2 (field 8): 3 bytes of float32 values"},
        BadMessage{"fixed", "\x45\x01\x02", "malformed message at byte 3 (field 8): it ends inside a field"}),
    [](const auto& bad) { return bad.param.name; });

TEST(RequestTest, AllowsAHundredLevelsOfGroups) {
  const auto groups = [](size_t depth) { return std::string(depth, '\x2B') + std::string(depth, '\x2C'); };
  // The parameters are a level of their own.
  const auto in_parameters = [&](size_t depth) {
    return std::string("\x12") + static_cast<char>(2 * depth % 128 | 128) +
           static_cast<char>(2 * depth / 128) + groups(depth);
  };
  NormalizeRequest request;
  EXPECT_TRUE(Read(groups(100), &request).ok());
  EXPECT_EQ(TextOf(Read(groups(101), &request)),
            "malformed message at byte 101 (field 5): more than 100 levels of messages and groups");
  EXPECT_TRUE(Read(in_parameters(99), &request).ok());
  EXPECT_FALSE(Read(in_parameters(100), &request).ok());
}

TEST(RequestTest, RefusesMoreThanTheLimits) {
  const ReadLimits limits = {.max_sequences = 2, .max_outputs = 1};
  NormalizeRequest request;
  EXPECT_TRUE(Read("\x32\x02\x01\x01", &request, limits).ok());
  EXPECT_EQ(TextOf(Read("\x32\x03\x01\x01\x01", &request, limits)), "more than 2 token_counts");
  EXPECT_EQ(TextOf(Read("\x32\x02\x01\x01\x30\x01", &request, limits)), "more than 2 token_counts");
  EXPECT_EQ(TextOf(Read("\x38\x01\x38\x01", &request, limits)), "more than 1 outputs");
}

TEST(RequestTest, ALimitIsPassedBeforeMemoryIsTaken) {
  const std::string zeros(100000, '\0');
  const std::string bytes = "\x32\xA0\x8D\x06" + zeros;
  NormalizeRequest request;
  EXPECT_FALSE(Read(bytes, &request, {.max_sequences = 10}).ok());
  EXPECT_LE(request.token_counts.capacity(), 16u);
}

// 127 views of the same 16 MiB, so that a message as long as protobuf allows takes next to no memory.
TEST(RequestTest, AMessageMayHaveTwoGibibytesLessOneByte) {
  const std::string block(size_t{1} << 24, '\0');
  const std::string head =
      "\x7A\xEF\xFF\xFF\xFF\x07"s;  // data of 2^31 - 17 bytes, the longest protobuf takes
  std::vector<std::string_view> slices(128, block);
  slices.insert(slices.begin(), head);
  slices.back().remove_suffix(17);
  NormalizeRequest request;
  ASSERT_EQ(TextOf(ReadNormalizeRequest(slices, {}, &request)), "");
  EXPECT_EQ(request.data->size, 2147483631u);
  slices.push_back(std::string_view(block).substr(0, 11));
  EXPECT_EQ(
      TextOf(ReadNormalizeRequest(slices, {}, &request)),
      "malformed message at byte 0: a message of 2147483648 bytes, where at most 2147483647 are allowed");
}

}  // namespace
}  // namespace normd::wire
