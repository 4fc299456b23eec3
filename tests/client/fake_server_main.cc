// SPDX-License-Identifier: Apache-2.0
//
// Runs the command that follows with the fake server's address as its last argument, and returns its exit
// code.
#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "fake_server.h"

int main(int argc, char** argv) {
  const normd::FakeServer server;
  std::string command;
  for (int i = 1; i < argc; ++i) command += std::string("'") + argv[i] + "' ";
  const int status = std::system((command + "'" + server.address() + "'").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
