// SPDX-License-Identifier: Apache-2.0
#ifndef NORMD_SERVER_SERVING_STATE_H_
#define NORMD_SERVER_SERVING_STATE_H_

#include <atomic>

namespace normd {

// Whether this server takes requests; read by every call, from any thread.
struct ServingState {
  std::atomic<bool> serving = false;   // loaded, self-tested and not draining: what health checks are told
  std::atomic<bool> draining = false;  // finish what is in flight, take nothing more
};

}  // namespace normd

#endif  // NORMD_SERVER_SERVING_STATE_H_
