// SPDX-License-Identifier: Apache-2.0
#include "normd/machine.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "regime.h"

namespace normd {
namespace {

constexpr int64_t kUnknownLast = int64_t{32} << 20;
constexpr int64_t kUnknownSecond = int64_t{1} << 20;
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

// The caches that hold data, in the order in which the system lists them.
std::vector<Cache> ReadCaches(const std::string& directory) {
  constexpr int kIndexes = 8;
  std::vector<Cache> caches;
  for (int index = 0; index < kIndexes; ++index) {
    const std::optional<Cache> cache = ReadCache(absl::StrCat(directory, "/index", index));
    if (cache.has_value() && cache->bytes > 0) caches.push_back(*cache);
  }
  return caches;
}

}  // namespace

int64_t LastLevelCacheBytes(const std::string& directory) {
  const std::vector<Cache> caches = ReadCaches(directory);
  const auto last = std::ranges::max_element(caches, {}, &Cache::level);
  return last == caches.end() ? kUnknownLast : last->bytes;
}

int64_t SecondLevelCacheBytes(const std::string& directory) {
  const std::vector<Cache> caches = ReadCaches(directory);
  const auto second = std::ranges::find(caches, 2, &Cache::level);
  return second == caches.end() ? kUnknownSecond : second->bytes;
}

int64_t DefaultStreamingBytes() {
  static const int64_t bytes = StreamingBytes(LastLevelCacheBytes());
  return bytes;
}

}  // namespace normd
