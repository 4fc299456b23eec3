// SPDX-License-Identifier: Apache-2.0
#ifndef NORMD_CLIENT_CREDENTIALS_H_
#define NORMD_CLIENT_CREDENTIALS_H_

#include <grpcpp/security/credentials.h>

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "normd/client.h"

namespace normd {

// For a channel to `address`: plain unless TLS is asked for.
// Errors: InvalidArgument for TLS on a Unix socket, for a certificate without a key and the other way round,
// and those of ReadPem and CheckPem.
absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> CredentialsFor(std::string_view address,
                                                                         const Security& security);

}  // namespace normd

#endif  // NORMD_CLIENT_CREDENTIALS_H_
