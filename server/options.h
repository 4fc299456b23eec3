// SPDX-License-Identifier: Apache-2.0
#ifndef NORMD_SERVER_OPTIONS_H_
#define NORMD_SERVER_OPTIONS_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grpc_server.h"

namespace normd {

// What the command line, the environment and the configuration file say, in this order of precedence.
struct Options {
  GrpcServerOptions server;
  std::vector<std::string> checkpoints;  // NAME=FILE
  std::string target;                    // empty: the best
  int drain_delay_seconds = 0;
  int drain_grace_seconds = 20;
  std::string http;                                           // host:port; empty: none
  std::string log_format = "text";                            // or "json"
  std::string log_level = "info";                             // as spdlog names it
  std::vector<std::pair<std::string, std::string>> settings;  // every option and its value, to be shown
};

// Nothing, and the code to exit with, where there was a mistake, or where help or the configuration was asked
// for, which has been printed.
std::optional<Options> ParseOptions(int argc, const char* const* argv, int* exit_code);

}  // namespace normd

#endif  // NORMD_SERVER_OPTIONS_H_
