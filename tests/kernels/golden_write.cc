// SPDX-License-Identifier: Apache-2.0
//
// Writes the golden hashes of this build to the named file, after a wanted change of bits.

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "golden.h"

int main(int argc, char** argv) {
  if (argc != 2) return std::fputs("golden_write FILE: writes the hashes of the scalar target\n", stderr), 2;
  nlohmann::ordered_json file;
  file["numerics_revision"] = normd::kNumericsRevision;
  for (const normd::GoldenCase& golden : normd::GoldenCases()) {
    file[nlohmann::ordered_json::json_pointer(normd::GoldenPath(golden))] =
        normd::GoldenHash(normd::Scalar(), normd::GoldenCalls(golden)).value();
  }
  std::ofstream out(argv[1]);
  out << file.dump(2) << '\n';
  return out.flush() ? 0 : 1;
}
