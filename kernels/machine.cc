// SPDX-License-Identifier: Apache-2.0
#include "normd/machine.h"

#include <algorithm>
#include <fstream>
#include <optional>

#include "absl/strings/str_cat.h"

namespace normd {
namespace {

constexpr int64_t kUnknown = int64_t{32} << 20;
constexpr int64_t kMost = int64_t{1} << 40;

std::string FirstWord(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

// "307200K" as bytes; 0 where it is nothing of the kind.
int64_t ParseSize(const std::string& text) {
  int64_t value = 0;
  size_t i = 0;
  for (; i < text.size() && text[i] >= '0' && text[i] <= '9' && value < kMost; ++i)
    value = value * 10 + (text[i] - '0');
  const std::string unit = text.substr(i);
  const int64_t factor = unit == "K"    ? 1 << 10
                         : unit == "M"  ? 1 << 20
                         : unit == "G"  ? 1 << 30
                         : unit.empty() ? 1
                                        : 0;
  return value < kMost ? std::min(value * factor, kMost) : 0;
}

struct Cache {
  int64_t level;
  int64_t bytes;
};

std::optional<Cache> ReadCache(const std::string& directory) {
  const std::string type = FirstWord(directory + "/type");
  if (type != "Unified" && type != "Data") return std::nullopt;
  return Cache{ParseSize(FirstWord(directory + "/level")), ParseSize(FirstWord(directory + "/size"))};
}

}  // namespace

int64_t LastLevelCacheBytes(const std::string& directory) {
  constexpr int kIndexes = 8;
  Cache last = {0, 0};
  for (int index = 0; index < kIndexes; ++index) {
    const std::optional<Cache> cache = ReadCache(absl::StrCat(directory, "/index", index));
    if (cache.has_value() && cache->level > last.level && cache->bytes > 0) last = *cache;
  }
  return last.bytes > 0 ? last.bytes : kUnknown;
}

}  // namespace normd
