// SPDX-License-Identifier: Apache-2.0
#include "flags.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace normd::bench {
namespace {

template <typename T>
void Default(std::vector<T>& values, std::vector<T> otherwise) {
  if (values.empty()) values = std::move(otherwise);
}

// A request and its answer must fit into normd's default limit on a message's size.
constexpr int64_t kMostValues = int64_t{15} << 20;

bool ReadNumber(std::string_view text, int64_t* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size() && *value > 0 && *value <= kMostValues;
}

Shape ReadShape(const std::string& text) {
  Shape shape;
  const size_t by = text.find('x');
  if (by == std::string::npos || !ReadNumber(std::string_view(text).substr(0, by), &shape.rows) ||
      !ReadNumber(std::string_view(text).substr(by + 1), &shape.hidden) || shape.values() > kMostValues) {
    throw CLI::ValidationError("--shapes", "expected ROWSxHIDDEN of at most " + std::to_string(kMostValues) +
                                               " values, got " + text.substr(0, 100));
  }
  return shape;
}

}  // namespace

std::string NameOf(Transport transport) { return transport == Transport::kUnix ? "unix" : "tcp"; }

void AddFlags(CLI::App& app, Flags& flags) {
  const std::map<std::string, Placement> placements{
      {"one-cpu", Placement::kOneCpu}, {"two-cpus", Placement::kTwoCpus}, {"unpinned", Placement::kUnpinned}};
  const std::map<std::string, Transport> transports{{"unix", Transport::kUnix}, {"tcp", Transport::kTcp}};
  app.add_option("--normd", flags.normd, "The server to measure")->capture_default_str();
  app.add_option("--placement", flags.placement,
                 "one-cpu (default): client and servers on one; two-cpus: the client on one, the servers on "
                 "another; unpinned")
      ->transform(CLI::CheckedTransformer(placements));
  app.add_option("--core", flags.core, "The client's CPU (the first one allowed)");
  app.add_option("--transports", flags.transports, "unix,tcp")
      ->delimiter(',')
      ->transform(CLI::CheckedTransformer(transports));
  app.add_option("--shapes", flags.shape_texts, "1x768,1x4096,32x768,512x768,2048x4096")->delimiter(',');
  app.add_option("--in-flight", flags.in_flight, "Calls in flight for the rates: 1,8,32; 0: no rates")
      ->delimiter(',')
      ->check(CLI::Range(0, 1024));
  app.add_option("--only", flags.only, "Contestants whose names contain one of these: normd,echo,plain,raw")
      ->delimiter(',');
  app.add_option("--sittings", flags.sittings, "Times that all servers are started anew (5)")
      ->check(CLI::PositiveNumber);
  app.add_option("--rounds", flags.rounds, "Rounds of a sitting, in each of which everyone has a turn (3)")
      ->check(CLI::PositiveNumber);
  app.add_option("--calls", flags.calls, "Calls of a turn (1000; of large shapes as many as hold 150 MB)")
      ->check(CLI::PositiveNumber);
  app.add_flag("--quick", flags.quick,
               "3 sittings of 2 rounds; 1x768 and 512x768 over a Unix socket, unless told");
  app.add_option("--json", flags.json, "Also write the results to this file")->take_last();
}

void FillIn(Flags& flags) {
  if (flags.sittings == 0) flags.sittings = flags.quick ? 3 : 5;
  if (flags.rounds == 0) flags.rounds = flags.quick ? 2 : 3;
  if (flags.quick) {
    Default(flags.shape_texts, {"1x768", "512x768"});
    Default(flags.transports, {Transport::kUnix});
  }
  Default(flags.shape_texts, {"1x768", "1x4096", "32x768", "512x768", "2048x4096"});
  Default(flags.transports, {Transport::kUnix, Transport::kTcp});
  Default(flags.in_flight, {1, 8, 32});
  std::erase(flags.in_flight, 0);
  for (const std::string& text : flags.shape_texts) flags.shapes.push_back(ReadShape(text));
}

int64_t CallsOfTurn(const Flags& flags, const Shape& shape) {
  if (flags.calls > 0) return flags.calls;
  constexpr int64_t kBytesOfTurn = 150'000'000;
  return std::clamp<int64_t>(kBytesOfTurn / static_cast<int64_t>(shape.bytes()), 5, 1000);
}

}  // namespace normd::bench
