// SPDX-License-Identifier: Apache-2.0

#include "safetensors_json.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "checkpoint_file.h"

namespace normd {
namespace {

using Json = nlohmann::json;

// NumPy, where most of these tensors come from, stops at 64.
constexpr size_t kMostDimensions = 64;
constexpr std::string_view kMetadata = "__metadata__";

// Takes the parser's events one by one. A tree of the whole header would cost many times its length, would
// keep one of two equal names without a word, and could nest as deep as the header is long.
class HeaderEvents final : public nlohmann::json_sax<Json> {
 public:
  explicit HeaderEvents(SafetensorsHeader& header) : header_(header) {}

  const absl::Status& status() const { return status_; }

  bool null() override { return Unexpected("null"); }
  bool boolean(bool /*value*/) override { return Unexpected("a boolean"); }
  bool number_integer(number_integer_t /*value*/) override { return Unexpected("a negative number"); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override {
    return Unexpected("a number that is no 64-bit integer");
  }
  bool binary(binary_t& /*value*/) override { return Unexpected("binary data"); }
  bool number_unsigned(number_unsigned_t value) override;
  bool string(string_t& value) override;
  bool start_object(size_t elements) override;
  bool key(string_t& name) override;
  bool end_object() override;
  bool start_array(size_t elements) override;
  bool end_array() override;
  bool parse_error(size_t position, const std::string& token, const Json::exception& error) override;

 private:
  bool InMetadata() const { return name_ == kMetadata; }
  bool TensorKey(const std::string& name);
  bool TakeArray();
  std::string Where() const;
  std::string_view Expected() const;
  bool Fail(const std::string& what);
  bool Unexpected(std::string_view what);

  SafetensorsHeader& header_;
  absl::Status status_;
  int depth_ = 0;  // objects that are open
  bool in_array_ = false;
  std::string name_;  // of the entry
  std::string key_;   // in the entry
  bool metadata_seen_ = false;
  std::set<std::string> seen_;    // keys of this tensor
  std::vector<int64_t> numbers_;  // of this array
  TensorEntry tensor_;
};

std::string HeaderEvents::Where() const {
  if (depth_ == 0) {
    return "the header: ";
  }
  if (InMetadata()) {
    return depth_ == 1 ? "__metadata__: " : absl::StrCat("__metadata__, key ", Quoted(key_), ": ");
  }
  return absl::StrCat("tensor ", Quoted(name_), key_.empty() ? "" : absl::StrCat(", key ", Quoted(key_)),
                      ": ");
}

std::string_view HeaderEvents::Expected() const {
  if (depth_ < 2) {
    return "an object";
  }
  if (InMetadata() || key_ == "dtype") {
    return "a string";
  }
  return "an array of non-negative integers";
}

bool HeaderEvents::Fail(const std::string& what) {
  status_ = absl::InvalidArgumentError(absl::StrCat(Where(), what));
  return false;
}

bool HeaderEvents::Unexpected(std::string_view what) {
  const std::string_view expected = Expected();
  return Fail(absl::StrCat("expected ", absl::string_view(expected.data(), expected.size()), ", got ",
                           absl::string_view(what.data(), what.size())));
}

bool HeaderEvents::start_object(size_t /*elements*/) {
  if (depth_ == 2) {
    return Unexpected("an object");
  }
  ++depth_;
  seen_.clear();
  tensor_ = TensorEntry();
  return true;
}

bool HeaderEvents::key(string_t& name) {
  if (depth_ == 2) {
    key_ = std::move(name);
    return InMetadata() || TensorKey(key_);
  }
  name_ = std::move(name);
  key_.clear();
  if (header_.tensors.contains(name_) || (InMetadata() && metadata_seen_)) {
    return Fail("stands twice in the header");
  }
  metadata_seen_ = metadata_seen_ || InMetadata();
  return true;
}

bool HeaderEvents::TensorKey(const std::string& name) {
  if (name != "dtype" && name != "shape" && name != "data_offsets") {
    return Fail("unknown; expected dtype, shape or data_offsets");
  }
  return seen_.insert(name).second || Fail("stands twice");
}

bool HeaderEvents::end_object() {
  if (depth_ == 2 && !InMetadata()) {
    key_.clear();
    if (seen_.size() != 3) {
      return Fail("expected dtype, shape and data_offsets, but not all are there");
    }
    header_.tensors.emplace(name_, std::move(tensor_));
  }
  --depth_;
  return true;
}

bool HeaderEvents::string(string_t& value) {
  if (depth_ != 2 || in_array_) {
    return Unexpected("a string");
  }
  if (InMetadata()) {
    return header_.metadata.emplace(key_, std::move(value)).second || Fail("stands twice");
  }
  if (key_ != "dtype") {
    return Unexpected("a string");
  }
  tensor_.dtype = std::move(value);
  return true;
}

bool HeaderEvents::start_array(size_t /*elements*/) {
  if (depth_ != 2 || in_array_ || InMetadata() || key_ == "dtype") {
    return Unexpected("an array");
  }
  in_array_ = true;
  numbers_.clear();
  return true;
}

bool HeaderEvents::number_unsigned(number_unsigned_t value) {
  if (!in_array_) {
    return Unexpected("a number");
  }
  if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return Unexpected("a number over 9223372036854775807");
  }
  if (numbers_.size() == kMostDimensions) {
    return Fail(absl::StrCat("more than ", kMostDimensions, " numbers"));
  }
  numbers_.push_back(static_cast<int64_t>(value));
  return true;
}

bool HeaderEvents::end_array() {
  in_array_ = false;
  if (key_ == "shape") {
    tensor_.shape = numbers_;
    return true;
  }
  if (numbers_.size() != 2) {
    return Fail(absl::StrCat("expected 2 numbers, got ", numbers_.size()));
  }
  tensor_.begin = numbers_[0];
  tensor_.end = numbers_[1];
  return true;
}

// The parser's own text quotes as much of the header as it likes; the position is enough to find the place.
bool HeaderEvents::parse_error(size_t position, const std::string& /*token*/,
                               const Json::exception& /*error*/) {
  status_ =
      absl::InvalidArgumentError(absl::StrCat("the header is not JSON from its byte ", position, " on"));
  return false;
}

}  // namespace

absl::Status ReadHeaderJson(std::string_view text, SafetensorsHeader& header) {
  HeaderEvents events(header);
  Json::sax_parse(text.begin(), text.end(), &events);
  return events.status();
}

}  // namespace normd
