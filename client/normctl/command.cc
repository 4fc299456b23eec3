// SPDX-License-Identifier: Apache-2.0
#include "command.h"

#include <cstdlib>
#include <iostream>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "text.h"

namespace normd {
namespace {

bool IsOurFault(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsUnavailable(status) || absl::IsNotFound(status);
}

// By the words of OpenSSL and gRPC, which are all there is to tell these cases apart.
std::string AdviceOnReaching(absl::string_view reason, absl::string_view address) {
  if (absl::StrContains(reason, "certificate verify failed"))
    return "; the authority that its certificate comes from is given with --tls-ca";
  if (absl::StrContains(reason, "is not in peer certificate"))
    return "; another name is given with --tls-server-name";
  if (absl::StrContains(reason, "socket closed"))
    return "; it may want TLS (--tls), or a certificate of yours (--tls-cert)";
  return absl::StrCat("; is normd running? start it with: normd --listen ", Printable(address));
}

}  // namespace

int RunNormctl(int argc, const char* const* argv) {
  // What is wrong normctl says itself; gRPC's own lines, such as that a server has no health to watch, are
  // for those who ask for them.
  setenv("GRPC_VERBOSITY", "NONE", 0);
  CLI::App app("normctl: normalize tokens, and measure the service that does", "normctl");
  app.set_version_flag("--version", NORMD_VERSION);
  app.require_subcommand(1);
  int exit_code = 0;
  AddNormalize(app, exit_code);
  AddLayers(app, exit_code);
  AddHealth(app, exit_code);
  AddInfo(app, exit_code);
  AddBench(app, exit_code);
  AddVerify(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // The parser has exit codes of its own, one for each way to be wrong.
    return app.exit(error) == 0 ? 0 : kUsageOrConnection;
  }
  return exit_code;
}

CLI::Option* AddAddress(CLI::App& command, std::string& address) {
  return command.add_option("ADDRESS", address, "host:port or unix:/path")
      ->required()
      ->envname("NORMCTL_ADDRESS");
}

void AddSecurity(CLI::App& command, Security& security) {
  const auto add = [&command](const char* name, std::string& value, const char* about) {
    return WithEnvironment(command.add_option(name, value, about))->type_name("FILE")->group("Security");
  };
  WithEnvironment(
      command.add_flag("--tls", security.tls, "TLS; each option below but the last asks for it too"))
      ->group("Security");
  add("--tls-ca", security.tls_ca,
      "authorities that the server's certificate must come from, in PEM; default the system's");
  CLI::Option* const cert = add("--tls-cert", security.tls_cert, "certificate to show to the server, in PEM");
  CLI::Option* const key =
      add("--tls-key", security.tls_key, "its private key, in PEM and without a passphrase");
  cert->needs(key);
  key->needs(cert);
  add("--tls-server-name", security.server_name,
      "name in the server's certificate, where it is not the address's host")
      ->type_name("NAME");
  add("--token-file", security.token_file, "bearer token that calls carry");
}

void AddServer(CLI::App& command, ServerFlags& flags) {
  AddAddress(command, flags.address);
  AddSecurity(command, flags.security);
}

absl::StatusOr<Client> Connect(const ServerFlags& flags) {
  ClientOptions options;
  options.security = flags.security;
  return Client::Connect(flags.address, options);
}

CLI::Option* WithEnvironment(CLI::Option* option) {
  const std::string name = absl::StrReplaceAll(option->get_lnames().front(), {{"-", "_"}});
  return option->envname(absl::StrCat("NORMCTL_", absl::AsciiStrToUpper(name)));
}

std::string Advice(const absl::Status& status, std::string_view address) {
  const absl::string_view where(address.data(), address.size());
  if (absl::IsUnauthenticated(status)) return "; a token is given with --token-file";
  if (address.empty()) return "";
  if (absl::IsUnavailable(status) && absl::StartsWith(status.message(), "cannot reach ")) {
    return AdviceOnReaching(status.message(), where);
  }
  if (absl::IsNotFound(status)) {
    return absl::StrCat("; the layers it has: normctl layers ", Printable(where));
  }
  return "";
}

int Fail(const absl::Status& status, std::string_view address) {
  const std::string code =
      IsOurFault(status) ? "" : absl::StrCat(absl::StatusCodeToString(status.code()), ": ");
  std::cerr << "normctl: " << code << Printable(status.message()) << Advice(status, address) << "\n";
  return IsOurFault(status) ? kUsageOrConnection : kCallFailed;
}

}  // namespace normd
