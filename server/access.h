// SPDX-License-Identifier: Apache-2.0
//
// Who may call: the one check below all handlers, on every listener.

#ifndef NORMD_SERVER_ACCESS_H_
#define NORMD_SERVER_ACCESS_H_

#include <grpcpp/server_context.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "metrics.h"
#include "security/token_file.h"

namespace normd {

class Access {
 public:
  // Everyone's, until there is a token.
  Access() = default;
  // Errors: those of TokenFile::Open.
  absl::Status RequireToken(const std::string& path);

  // Unauthenticated where a token is required and the call does not carry it. Health is everyone's, since
  // probes carry none; every other method, one that is added later as well, is not.
  absl::Status Check(const grpc::ServerContext& context, Method method) const {
    if (token_ == nullptr) return absl::OkStatus();
    return CheckToken(context, method);
  }

 private:
  absl::Status CheckToken(const grpc::ServerContext& context, Method method) const;

  std::unique_ptr<TokenFile> token_;
};

}  // namespace normd

#endif  // NORMD_SERVER_ACCESS_H_
