// SPDX-License-Identifier: Apache-2.0
#include "tls.h"

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <spdlog/spdlog.h>

#include <string>
#include <utility>

namespace normd {
namespace {

// The files as gRPC asks for them: at the start, and in front of each handshake.
//
// gRPC's FileWatcherCertificateProvider looks at times of change every few seconds instead, and hands on
// whatever it finds. Here, a certificate whose key is not there yet keeps nobody out. Reading a few kilobytes
// costs nothing beside the signature of a handshake, and no time of change has to be trusted.
class WatchedFiles {
 public:
  WatchedFiles(Pem paths, Pem checked) : paths_(std::move(paths)), seen_(std::move(checked)) {}

  static grpc_ssl_certificate_config_reload_status Fetch(void* files,
                                                         grpc_ssl_server_certificate_config** config) {
    return static_cast<WatchedFiles*>(files)->Fetch(config);
  }

  grpc_ssl_client_certificate_request_type request() const {
    return paths_.authorities.empty() ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                                      : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY;
  }

 private:
  grpc_ssl_certificate_config_reload_status Fetch(grpc_ssl_server_certificate_config** config) {
    if (!started_) return Use(config);
    auto pem = ReadPem(paths_);
    absl::Status status = pem.status();
    if (pem.ok()) {
      if (*pem == seen_) return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
      seen_ = *std::move(pem);
      status = CheckPem(seen_, paths_);
    }
    Report(status);
    if (!status.ok()) return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
    return Use(config);
  }

  grpc_ssl_certificate_config_reload_status Use(grpc_ssl_server_certificate_config** config) {
    started_ = true;
    const grpc_ssl_pem_key_cert_pair pair = {seen_.key.c_str(), seen_.certificates.c_str()};
    // gRPC 1.51 wants authorities also where it asks for no certificate, and then has no use for them.
    const std::string& roots = paths_.authorities.empty() ? seen_.certificates : seen_.authorities;
    *config = grpc_ssl_server_certificate_config_create(roots.c_str(), &pair, 1);
    return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
  }

  // Once for each mistake, however many connections meet it.
  void Report(const absl::Status& status) {
    if (status == reported_) return;
    reported_ = status;
    if (!status.ok())
      spdlog::error("TLS goes on with the files from before: {}", std::string(status.message()));
  }

  const Pem paths_;
  Pem seen_;  // that was in the files last, used or not
  absl::Status reported_;
  bool started_ = false;
};

// gRPC's C++ interface has no way to its callback.
class WatchedCredentials : public grpc::ServerCredentials {
 public:
  WatchedCredentials(const Pem& paths, Pem checked) : files_(paths, std::move(checked)) {}
  void SetAuthMetadataProcessor(const std::shared_ptr<grpc::AuthMetadataProcessor>& /*processor*/) override {}

 private:
  int AddPortToServer(const std::string& address, grpc_server* server) override {
    grpc_server_credentials* const credentials = grpc_ssl_server_credentials_create_with_options(
        grpc_ssl_server_credentials_create_options_using_config_fetcher(files_.request(), WatchedFiles::Fetch,
                                                                        &files_));
    const int port = grpc_server_add_http2_port(server, address.c_str(), credentials);
    grpc_server_credentials_release(credentials);
    return port;
  }

  WatchedFiles files_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> TlsCredentials(const Pem& paths) {
  auto pem = ReadPem(paths);
  if (!pem.ok()) return pem.status();
  if (auto status = CheckPem(*pem, paths); !status.ok()) return status;
  return std::make_shared<WatchedCredentials>(paths, *std::move(pem));
}

}  // namespace normd
