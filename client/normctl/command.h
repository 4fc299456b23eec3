// SPDX-License-Identifier: Apache-2.0
//
// The subcommands of normctl. Each Add function describes one to the parser; where it is the one chosen, its
// code runs while the arguments are parsed, and leaves the process's exit code.

#ifndef NORMD_NORMCTL_COMMAND_H_
#define NORMD_NORMCTL_COMMAND_H_

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "normd/client.h"

namespace normd {

inline constexpr int kUsageOrConnection = 1;
inline constexpr int kCallFailed = 4;
inline constexpr int kNotVerified = 5;

void AddNormalize(CLI::App& app, int& exit_code);
void AddBench(CLI::App& app, int& exit_code);
void AddLayers(CLI::App& app, int& exit_code);
void AddHealth(CLI::App& app, int& exit_code);
void AddInfo(CLI::App& app, int& exit_code);
void AddVerify(CLI::App& app, int& exit_code);

// The whole of normctl but its process: parses the arguments, runs the subcommand, returns the exit code.
int RunNormctl(int argc, const char* const* argv);

// The address as a subcommand's first argument; NORMCTL_ADDRESS stands in for it.
CLI::Option* AddAddress(CLI::App& command, std::string& address);

// How the server and normctl know each other.
void AddSecurity(CLI::App& command, Security& security);

// Both, for a subcommand that asks a server something.
struct ServerFlags {
  std::string address;
  Security security;
};
void AddServer(CLI::App& command, ServerFlags& flags);
absl::StatusOr<Client> Connect(const ServerFlags& flags);

// An option whose twin in the environment is NORMCTL_ and its long name in capitals.
CLI::Option* WithEnvironment(CLI::Option* option);

// What a person can do about an error, where that is known; `address` may be empty.
std::string Advice(const absl::Status& status, std::string_view address);

// Prints the error to stderr, with advice; returns the exit code that goes with it.
int Fail(const absl::Status& status, std::string_view address = "");

}  // namespace normd

#endif  // NORMD_NORMCTL_COMMAND_H_
