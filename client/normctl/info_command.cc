// SPDX-License-Identifier: Apache-2.0
//
// normctl info
#include <iostream>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "command.h"
#include "text.h"

namespace normd {
namespace {

std::string Text(const ServerInfo& info) {
  const auto number = [](int64_t value) { return WithThousands(static_cast<uint64_t>(value)); };
  return absl::StrCat("version            ", Printable(info.version), "\n", "numerics revision  ",
                      info.numerics_revision, "\n", "target             ", Printable(info.active_target),
                      " (this CPU runs ", Printable(absl::StrJoin(info.targets, ", ")), ")\n",
                      "longest message    ", number(info.max_message_bytes), " bytes\n",
                      "most sequences     ", number(info.max_sequences), "\n", "longest request_id ",
                      number(info.max_request_id_bytes), " bytes\n");
}

int Run(const ServerFlags& server) {
  const auto client = Connect(server);
  if (!client.ok()) return Fail(client.status(), server.address);
  const auto info = client->GetServerInfo();
  if (!info.ok()) return Fail(info.status());
  std::cout << Text(*info);
  return 0;
}

}  // namespace

void AddInfo(CLI::App& app, int& exit_code) {
  CLI::App& command =
      *app.add_subcommand("info", "say which normd a server is, and what it runs on and accepts");
  const auto server = std::make_shared<ServerFlags>();
  AddServer(command, *server);
  command.footer("\n  normctl info 127.0.0.1:8001");
  command.callback([server, &exit_code] { exit_code = Run(*server); });
}

}  // namespace normd
