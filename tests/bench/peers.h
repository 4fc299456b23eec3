// SPDX-License-Identifier: Apache-2.0
//
// The peers' shared objects, which lie beside the program.

#ifndef NORMD_TESTS_BENCH_PEERS_H_
#define NORMD_TESTS_BENCH_PEERS_H_

#include <string>

#include "contestant.h"

namespace normd::bench {

// Loads peer_NAME.so of every peer there is a source for. One that was not built, or does not load, becomes a
// contestant with why_not.
void AddPeers(const std::string& folder, Contestants& contestants);

}  // namespace normd::bench

#endif  // NORMD_TESTS_BENCH_PEERS_H_
