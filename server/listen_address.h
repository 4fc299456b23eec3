// SPDX-License-Identifier: Apache-2.0
#ifndef NORMD_SERVER_LISTEN_ADDRESS_H_
#define NORMD_SERVER_LISTEN_ADDRESS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace normd {

// Prepares `address` (host:port or unix:/path) for being listened on: removes the socket file that a dead
// server left. Errors: InvalidArgument for what is no address; Unavailable where it cannot be listened on,
// with the system's reason. gRPC itself would take a live server's socket file away, and says no reason where
// a port is in use.
absl::Status PrepareListenAddress(const std::string& address);

bool IsUnix(const std::string& address);

// Whether only this machine can reach it: a Unix socket, or loopback.
bool IsLocal(const std::string& address);

// A socket that is listened on, and its address: a port 0 has become the one that was given.
struct TcpListener {
  int fd;
  std::string address;
};

// Listens on `address`, host:port; accepting does not block. Errors: those of PrepareListenAddress.
absl::StatusOr<TcpListener> ListenOnTcp(const std::string& address);

// Removes the socket file of a Unix address after the server has stopped.
void RemoveSocketFile(const std::string& address);

}  // namespace normd

#endif  // NORMD_SERVER_LISTEN_ADDRESS_H_
