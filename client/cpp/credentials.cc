// SPDX-License-Identifier: Apache-2.0
#include "credentials.h"

#include "security/pem_files.h"

namespace normd {
namespace {

absl::Status CheckChoice(std::string_view address, const Security& security) {
  if (address.starts_with("unix:"))
    return absl::InvalidArgumentError(
        "TLS was asked for on a Unix socket, which is plain; it is for host:port");
  if (security.tls_cert.empty() != security.tls_key.empty())
    return absl::InvalidArgumentError("a client's certificate and its key go together; got one of them");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> CredentialsFor(std::string_view address,
                                                                         const Security& security) {
  if (!security.UsesTls()) return grpc::InsecureChannelCredentials();
  if (auto status = CheckChoice(address, security); !status.ok()) return status;
  const Pem paths = {security.tls_cert, security.tls_key, security.tls_ca};
  const auto pem = ReadPem(paths);
  if (!pem.ok()) return pem.status();
  if (auto status = CheckPem(*pem, paths); !status.ok()) return status;
  return grpc::SslCredentials({pem->authorities, pem->key, pem->certificates});
}

}  // namespace normd
