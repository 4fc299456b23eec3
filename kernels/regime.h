// SPDX-License-Identifier: Apache-2.0
//
// Which way a call goes, as a function of its shape and of the machine. None of it changes a bit.

#ifndef NORMD_REGIME_H_
#define NORMD_REGIME_H_

#include <cstdint>

#include "kernels.h"

namespace normd {

// Calls that read and write more bytes than this store past the caches: the last-level cache, but no more
// than 32 MiB. What a guest of a large machine reads there is the cache of the whole socket (300 MiB on the
// machine this was measured on, of which it has a share). Above 32 MiB such stores took 0.8 of the time, one
// call after the other; below, where the next reader finds y in the cache, they took up to twice as long.
inline int64_t StreamingBytes(int64_t last_level_cache_bytes) {
  constexpr int64_t kMost = int64_t{32} << 20;
  return last_level_cache_bytes < kMost ? last_level_cache_bytes : kMost;
}

// Rows whose last tree steps and statistics are done with the same instructions, and whose gamma and beta are
// loaded once; groups of 8 are all narrow (kNarrow). Wider rows would push each other out of the first cache,
// and where the call leaves the second one, rows one after the other are what the prefetchers follow.
inline int RowsAtOnce(const NormCall& call) {
  if (call.hidden <= (call.far ? 128 : 256)) return 8;
  return call.hidden <= 1024 && !call.far ? 2 : 1;
}

}  // namespace normd

#endif  // NORMD_REGIME_H_
