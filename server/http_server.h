// SPDX-License-Identifier: Apache-2.0
//
// The HTTP port: metrics, probes and the status page. One thread serves all connections and waits for none of
// them; how many there are, how long each lasts and how much it may send are bounded.
//
// Debian 12's cpp-httplib was the alternative: 200 MB of header fields cost it 374 MB (measured with 0.11.4),
// one slow client holds a thread of its pool, and it brings OpenSSL as a shared library beside the one that
// gRPC has linked in.

#ifndef NORMD_SERVER_HTTP_SERVER_H_
#define NORMD_SERVER_HTTP_SERVER_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "http_connection.h"

namespace normd {

struct HttpLimits {
  size_t connections = 64;
  std::chrono::milliseconds patience = std::chrono::seconds(10);  // for a whole request and answer
};

class HttpServer {
 public:
  virtual ~HttpServer() = default;  // stops it

  // Serves `handler` at `address`, host:port, and calls `each_second`; both on the server's own thread.
  // Errors: InvalidArgument for an address that is none; Unavailable that says why it cannot be listened on.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(const std::string& address, HttpHandler handler,
                                                           std::function<void()> each_second,
                                                           const HttpLimits& limits = {});

  // As it is listened on: a port 0 has become the one that was given.
  virtual const std::string& address() const = 0;
};

}  // namespace normd

#endif  // NORMD_SERVER_HTTP_SERVER_H_
