// SPDX-License-Identifier: Apache-2.0
//
// bench_raw_server ADDRESS...: sends back what it gets over a bare socket, a length and as many bytes. One
// connection at a time.
#include <poll.h>

#include <csignal>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <vector>

#include "socket.h"

namespace normd::bench {
namespace {

void Serve(const Socket& connection, std::vector<char>& message) {
  uint64_t size = 0;
  while (ReadAll(connection.fd(), &size, sizeof(size))) {
    // The length goes in front of the bytes, so that the answer is one write.
    message.resize(sizeof(size) + size);
    memcpy(message.data(), &size, sizeof(size));
    ReadAll(connection.fd(), message.data() + sizeof(size), size);
    WriteAll(connection.fd(), message.data(), message.size());
  }
}

int Main(const std::vector<std::string>& addresses) {
  std::vector<Socket> listeners;
  std::vector<pollfd> waits;
  for (const std::string& address : addresses) {
    listeners.push_back(Listen(address));
    waits.push_back({listeners.back().fd(), POLLIN, 0});
  }
  std::vector<char> message;
  while (poll(waits.data(), waits.size(), -1) > 0) {
    for (size_t i = 0; i < waits.size(); ++i) {
      if (waits[i].revents != 0) Serve(Accept(listeners[i]), message);
    }
  }
  return 1;
}

}  // namespace
}  // namespace normd::bench

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  try {
    return normd::bench::Main({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "bench_raw_server: " << error.what() << "\n";
    return 1;
  }
}
