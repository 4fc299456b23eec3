// SPDX-License-Identifier: Apache-2.0
#include "access.h"

#include <openssl/crypto.h>
#include <spdlog/spdlog.h>

#include <string_view>

#include "absl/strings/match.h"
#include "call.h"

namespace normd {
namespace {

constexpr absl::string_view kScheme = "Bearer ";

bool IsOpenToAll(Method method) { return method == Method::kHealthCheck || method == Method::kHealthWatch; }

// Takes as long wherever the two differ; that the lengths do is no secret.
bool AreSame(absl::string_view token, absl::string_view other) {
  return token.size() == other.size() && CRYPTO_memcmp(token.data(), other.data(), token.size()) == 0;
}

}  // namespace

absl::Status Access::RequireToken(const std::string& path) {
  auto token = TokenFile::Open(path, [](const absl::Status& status) {
    spdlog::error("going on with the token from before: {}", std::string(status.message()));
  });
  if (!token.ok()) return token.status();
  token_ = *std::move(token);
  return absl::OkStatus();
}

absl::Status Access::CheckToken(const grpc::ServerContext& context, Method method) const {
  if (IsOpenToAll(method)) return absl::OkStatus();
  const auto [first, last] = context.client_metadata().equal_range("authorization");
  if (first == last || std::next(first) != last)
    return absl::UnauthenticatedError("expected \"authorization: Bearer TOKEN\" once in the call's metadata");
  const absl::string_view value(first->second.data(), first->second.size());
  // The name of a scheme has no case (RFC 9110).
  if (!absl::StartsWithIgnoreCase(value, kScheme))
    return absl::UnauthenticatedError("expected \"authorization: Bearer TOKEN\"; got another scheme");
  if (!AreSame(token_->At(Clock::now()), value.substr(kScheme.size())))
    return absl::UnauthenticatedError("the bearer token is not this server's");
  return absl::OkStatus();
}

}  // namespace normd
