// SPDX-License-Identifier: Apache-2.0
//
// TLS for what listens on TCP.

#ifndef NORMD_SERVER_TLS_H_
#define NORMD_SERVER_TLS_H_

#include <grpcpp/security/server_credentials.h>

#include <memory>

#include "absl/status/statusor.h"
#include "security/pem_files.h"

namespace normd {

// Credentials for one listener, which must outlive its server. `paths` names a certificate and its key; with
// authorities, clients need a certificate that comes from one of them. The files are read again for each new
// connection, and those that changed are used from then on where they can be; until then those before.
// Errors: those of ReadPem and CheckPem.
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> TlsCredentials(const Pem& paths);

}  // namespace normd

#endif  // NORMD_SERVER_TLS_H_
