// SPDX-License-Identifier: Apache-2.0
//
// normctl layers
#include <iostream>
#include <memory>

#include "absl/strings/str_cat.h"
#include "command.h"
#include "text.h"

namespace normd {
namespace {

std::string Parameters(const LayerInfo& layer) {
  if (!layer.has_gamma && !layer.has_beta) return "none";
  const char* names = layer.has_gamma ? (layer.has_beta ? "gamma, beta" : "gamma") : "beta";
  return absl::StrCat(names, " ", layer.parameter_type);
}

std::vector<std::string> Row(const LayerInfo& layer) {
  return {Printable(layer.name),
          layer.kind,
          layer.hidden == 0 ? "any" : absl::StrCat(layer.hidden),
          absl::StrCat(layer.epsilon),
          Parameters(layer),
          layer.checkpoint.empty() ? "built in" : Printable(layer.checkpoint)};
}

int Run(const ServerFlags& server) {
  const auto client = Connect(server);
  if (!client.ok()) return Fail(client.status(), server.address);
  const auto layers = client->ListLayers();
  if (!layers.ok()) return Fail(layers.status());
  std::vector<std::vector<std::string>> rows{
      {"layer", "kind", "hidden", "epsilon", "parameters", "checkpoint"}};
  for (const LayerInfo& layer : *layers) rows.push_back(Row(layer));
  std::cout << Table(rows);
  return 0;
}

}  // namespace

void AddLayers(CLI::App& app, int& exit_code) {
  CLI::App& command = *app.add_subcommand("layers", "list the layers that a server has");
  const auto server = std::make_shared<ServerFlags>();
  AddServer(command, *server);
  command.footer("\n  normctl layers 127.0.0.1:8001");
  command.callback([server, &exit_code] { exit_code = Run(*server); });
}

}  // namespace normd
