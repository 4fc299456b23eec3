// SPDX-License-Identifier: Apache-2.0
#ifndef NORMD_TESTS_BENCH_SERVICE_FLAGS_H_
#define NORMD_TESTS_BENCH_SERVICE_FLAGS_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "shape.h"

namespace normd::bench {

enum class Placement { kOneCpu, kTwoCpus, kUnpinned };
enum class Transport { kUnix, kTcp };

std::string NameOf(Transport transport);

struct Flags {
  std::string normd = "build/release/server/normd";
  Placement placement = Placement::kOneCpu;
  int core = -1;  // none given
  std::vector<Transport> transports;
  std::vector<std::string> shape_texts;
  std::vector<Shape> shapes;
  std::vector<int64_t> in_flight;
  std::vector<std::string> only;
  int sittings = 0;   // 0: not given
  int rounds = 0;     // of a sitting; 0: not given
  int64_t calls = 0;  // of a turn; 0: by the shape
  bool quick = false;
  std::string json;
};

void AddFlags(CLI::App& app, Flags& flags);

// What was not given. Throws CLI::ValidationError for a shape that is none.
void FillIn(Flags& flags);

// Fewer of large ones, so that a turn takes a fraction of a second.
int64_t CallsOfTurn(const Flags& flags, const Shape& shape);

}  // namespace normd::bench

#endif  // NORMD_TESTS_BENCH_SERVICE_FLAGS_H_
