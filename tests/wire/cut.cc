// SPDX-License-Identifier: Apache-2.0
#include "cut.h"

namespace normd {

CutMessage::CutMessage(std::string_view bytes, const std::vector<size_t>& lengths) {
  for (size_t length : lengths) {
    const std::string_view slice = bytes.substr(0, length);
    Add(slice);
    bytes.remove_prefix(slice.size());
  }
  Add(bytes);
}

void CutMessage::Add(std::string_view slice) {
  const std::vector<char>& memory = memory_.emplace_back(slice.begin(), slice.end());
  views_.emplace_back(memory.data(), memory.size());
}

CutMessage CutAtRandom(std::string_view bytes, Random* random) {
  constexpr size_t kLongest[] = {1, 3, 16, 100};
  std::vector<size_t> lengths;
  if (!random->OneIn(5)) {
    const size_t longest = kLongest[random->Below(4)];
    for (size_t cut = 0; cut < bytes.size(); cut += lengths.back())
      lengths.push_back(random->Below(longest + 1));
  }
  return {bytes, lengths};
}

}  // namespace normd
