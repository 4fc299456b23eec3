// SPDX-License-Identifier: Apache-2.0
#include "npy_header.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace normd {
namespace {

constexpr size_t kMaxDimensions = 32;  // NumPy's own limit

// Each function reads one thing after any white space, and returns whether it was there.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool Take(char expected) {
    if (Peek() != expected) return false;
    ++at_;
    return true;
  }

  // In either kind of quotes. An escape would be none of the strings that headers hold, and is taken as it
  // stands.
  bool TakeString(std::string* value) {
    const char quote = Peek();
    if (quote != '\'' && quote != '"') return false;
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return false;
    *value = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return true;
  }

  bool TakeBool(std::optional<bool>* value) {
    *value = TakeWord("True");
    return **value || TakeWord("False");
  }

  bool TakeNumber(int64_t* value) {
    Peek();
    const size_t end = std::min(text_.find_first_not_of("0123456789", at_), text_.size());
    const std::string_view digits = text_.substr(at_, end - at_);
    at_ = end;
    return absl::SimpleAtoi(absl::string_view(digits.data(), digits.size()), value);
  }

  bool AtEnd() { return Peek() == '\0' && at_ == text_.size(); }
  size_t at() const { return at_; }

 private:
  char Peek() {
    at_ = std::min(text_.find_first_not_of(" \n", at_), text_.size());
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool TakeWord(std::string_view word) {
    Peek();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : scanner_(text) {}

  absl::StatusOr<NpyDictionary> Parse() {
    if (!Need(scanner_.Take('{'), "'{'") || !Entries() || !Need(scanner_.AtEnd(), "the end of the header")) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected ", expected_, " at byte ", scanner_.at(), " of the header"));
    }
    return dictionary_;
  }

 private:
  // Notes what was expected where it is not there.
  bool Need(bool found, const char* what) {
    if (!found) expected_ = what;
    return found;
  }

  // A comma may stand behind the last entry as well.
  bool Entries() {
    bool more = true;
    while (!scanner_.Take('}')) {
      if (!Need(more, "'}'") || !Entry()) return false;
      more = scanner_.Take(',');
    }
    return true;
  }

  bool Entry() {
    std::string key;
    if (!Need(scanner_.TakeString(&key), "a key in quotes")) return false;
    if (!Need(scanner_.Take(':'), "':'")) return false;
    if (key == "descr" && !dictionary_.descr) return Descr();
    if (key == "fortran_order" && !dictionary_.fortran_order) {
      return Need(scanner_.TakeBool(&dictionary_.fortran_order), "True or False");
    }
    if (key == "shape" && !dictionary_.shape) return Shape();
    return Need(false, "the keys descr, fortran_order and shape, each once,");
  }

  bool Descr() { return Need(scanner_.TakeString(&dictionary_.descr.emplace()), "a data type in quotes"); }

  bool Shape() {
    std::vector<int64_t>& shape = dictionary_.shape.emplace();
    if (!Need(scanner_.Take('('), "'('")) return false;
    bool more = true;
    while (!scanner_.Take(')')) {
      if (!Need(more, "')'")) return false;
      if (!Need(shape.size() < kMaxDimensions, "at most 32 dimensions")) return false;
      if (!Need(scanner_.TakeNumber(&shape.emplace_back()), "a whole number below 2^63")) return false;
      more = scanner_.Take(',');
    }
    return true;
  }

  Scanner scanner_;
  const char* expected_ = "";
  NpyDictionary dictionary_;
};

}  // namespace

absl::StatusOr<NpyDictionary> ParseNpyDictionary(std::string_view text) { return Parser(text).Parse(); }

}  // namespace normd
