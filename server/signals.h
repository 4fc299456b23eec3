// SPDX-License-Identifier: Apache-2.0
#ifndef NORMD_SERVER_SIGNALS_H_
#define NORMD_SERVER_SIGNALS_H_

namespace normd {

// Keeps SIGTERM and SIGINT for WaitForStop in this thread and all that it starts. Call it before anything
// else: as process 1 there is no default action, and a signal during the start must not be lost.
void HoldStopSignals();

// Returns at the first of them, also one that came before. A second one then ends the process at once, with
// 128 + its number.
void WaitForStop();

}  // namespace normd

#endif  // NORMD_SERVER_SIGNALS_H_
