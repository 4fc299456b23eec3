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

CLI::Option* WithEnvironment(CLI::Option* option) {
  const std::string name = absl::StrReplaceAll(option->get_lnames().front(), {{"-", "_"}});
  return option->envname(absl::StrCat("NORMCTL_", absl::AsciiStrToUpper(name)));
}

std::string Advice(const absl::Status& status, std::string_view address) {
  const absl::string_view where(address.data(), address.size());
  if (absl::IsUnavailable(status) && absl::StartsWith(status.message(), "cannot reach ")) {
    return absl::StrCat("; is normd running? start it with: normd --listen ", Printable(where));
  }
  if (absl::IsNotFound(status)) {
    return absl::StrCat("; the layers it has: normctl layers ", Printable(where));
  }
  return "";
}

int Fail(const absl::Status& status, std::string_view address) {
  const std::string code =
      IsOurFault(status) ? "" : absl::StrCat(absl::StatusCodeToString(status.code()), ": ");
  std::cerr << "normctl: " << code << Printable(status.message())
            << (address.empty() ? "" : Advice(status, address)) << "\n";
  return IsOurFault(status) ? kUsageOrConnection : kCallFailed;
}

}  // namespace normd
