// SPDX-License-Identifier: Apache-2.0
#include "security/token_file.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "security/small_file.h"

namespace normd {
namespace {

constexpr std::chrono::seconds kReadEvery(1);

bool IsTokenByte(char byte) { return byte > ' ' && byte <= '~'; }

}  // namespace

absl::StatusOr<std::string> ReadToken(const std::string& path) {
  auto token = ReadSmallFile(path, kMaxTokenBytes + 2);
  if (!token.ok()) return token;
  while (token->ends_with('\n') || token->ends_with('\r')) token->pop_back();
  if (token->size() < kMinTokenBytes || token->size() > kMaxTokenBytes) {
    return absl::InvalidArgumentError(absl::StrCat("the token in ", ShownPath(path), " has ", token->size(),
                                                   " bytes; expected ", kMinTokenBytes, " to ",
                                                   kMaxTokenBytes));
  }
  if (!std::ranges::all_of(*token, IsTokenByte)) {
    return absl::InvalidArgumentError(absl::StrCat("the token in ", ShownPath(path),
                                                   " has other bytes than printable ASCII without spaces"));
  }
  return token;
}

absl::StatusOr<std::unique_ptr<TokenFile>> TokenFile::Open(const std::string& path, Report report) {
  auto token = ReadToken(path);
  if (!token.ok()) return token.status();
  return std::unique_ptr<TokenFile>(new TokenFile(path, *std::move(token), std::move(report)));
}

std::string TokenFile::At(Time now) {
  const absl::MutexLock lock(&mutex_);
  if (now - read_at_ >= kReadEvery) {
    read_at_ = now;
    ReadAgain();
  }
  return token_;
}

void TokenFile::ReadAgain() {
  const auto token = ReadToken(path_);
  if (token.ok()) token_ = *token;
  if (!token.ok() && token.status() != reported_ && report_) report_(token.status());
  reported_ = token.status();
}

}  // namespace normd
