// SPDX-License-Identifier: Apache-2.0
//
// normctl health
#include <iostream>
#include <memory>

#include "command.h"
#include "text.h"

namespace normd {
namespace {

// Anything but a server that says it serves is 1, as probes expect.
int Run(const ServerFlags& server, const std::string& service) {
  const auto client = Connect(server);
  if (!client.ok()) return Fail(client.status(), server.address), 1;
  const auto serving = client->Health(service);
  if (!serving.ok()) return Fail(serving.status()), 1;
  std::cout << Printable(server.address) << (*serving ? " is serving\n" : " is not serving\n");
  return *serving ? 0 : 1;
}

}  // namespace

void AddHealth(CLI::App& app, int& exit_code) {
  CLI::App& command =
      *app.add_subcommand("health", "ask whether a server is serving: exit 0 where it is, else 1");
  const auto server = std::make_shared<ServerFlags>();
  const auto service = std::make_shared<std::string>();
  AddServer(command, *server);
  WithEnvironment(
      command.add_option("--service", *service, "one service by its full name, instead of the server"));
  command.footer("\n  normctl health 127.0.0.1:8001");
  command.callback([server, service, &exit_code] { exit_code = Run(*server, *service); });
}

}  // namespace normd
