// SPDX-License-Identifier: Apache-2.0
#include "instructions.h"

#include "memory.h"

#ifdef NORMD_BENCH_CALLGRIND
#include <valgrind/callgrind.h>

namespace normd::bench {
namespace {

// Empty where the contestant has no such operation.
Call PrepareOrNone(const Contestant& contestant, const Cell& cell, const Buffers& buffers) {
  try {
    return contestant.prepare(cell, buffers);
  } catch (const Unsupported&) {
    return {};
  }
}

void Count(const Contestant& contestant, const Cell& cell, const Buffers& buffers) {
  const Call call = PrepareOrNone(contestant, cell, buffers);
  if (!call.run) return;
  for (int warm = 0; warm < 3; ++warm) call.run();
  const std::string name = std::to_string(cell.rows) + "x" + std::to_string(cell.hidden) + "|" +
                           contestant.name + (contestant.part == Part::kOperator ? " op" : "");
  CALLGRIND_START_INSTRUMENTATION;
  CALLGRIND_ZERO_STATS;
  call.run();
  CALLGRIND_DUMP_STATS_AT(name.c_str());
  CALLGRIND_STOP_INSTRUMENTATION;
}

}  // namespace

void CountInstructions(const Contestants& contestants, const std::vector<Cell>& cells) {
  if (RUNNING_ON_VALGRIND == 0) throw std::runtime_error("expected to run under callgrind");
  for (const Cell& cell : cells) {
    Memory memory(cell.bytes(), cell.rows, cell.hidden, cell.kind == Kind::kResidual);
    const Buffers buffers = memory.Fill(cell);
    for (const Contestant& contestant : contestants) {
      if (!contestant.why_not.empty() || contestant.part == Part::kEstimate ||
          contestant.part == Part::kFloor) {  // "rep movsb" counts as one instruction a byte
        continue;
      }
      Count(contestant, cell, buffers);
    }
  }
}

}  // namespace normd::bench

#else

namespace normd::bench {

void CountInstructions(const Contestants& /*contestants*/, const std::vector<Cell>& /*cells*/) {
  throw std::runtime_error("built without valgrind's header");
}

}  // namespace normd::bench

#endif
