// SPDX-License-Identifier: Apache-2.0
//
// Compares our readers with protobuf's parser for as long as one likes; the test of the same name runs it for
// a moment.

#include <CLI/CLI.hpp>
#include <cstdio>

#include "differential_run.h"

int main(int argc, char** argv) {
  int64_t messages = 1000000;
  uint64_t seed = 1;
  CLI::App app("Reads random messages with normd's readers and with protobuf's, and compares them");
  app.add_option("--messages", messages, "How many")->capture_default_str();
  app.add_option("--seed", seed, "Which ones")->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  const normd::DifferentialResult result = normd::RunDifferential(messages, seed);
  std::printf("%lld accepted, %lld rejected by both\n", static_cast<long long>(result.accepted),
              static_cast<long long>(result.rejected));
  if (result.difference.empty()) return 0;
  std::printf("%s\n", result.difference.c_str());
  return 1;
}
