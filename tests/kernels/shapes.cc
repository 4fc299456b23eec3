// SPDX-License-Identifier: Apache-2.0
#include "shapes.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdlib>
#include <iterator>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

namespace normd {
namespace {

constexpr int64_t kCentre = 32;  // the elements that a kernel may take its first guess of the mean from

int64_t Edge(const Shape& s) { return static_cast<int64_t>(s.fraction * static_cast<double>(s.hidden)); }
double Part(const Shape& s, int64_t i) { return static_cast<double>(i) / static_cast<double>(s.hidden); }
double Sign(int64_t i) { return i % 2 == 0 ? 1 : -1; }

double OneHot(const Shape& s, int64_t i) { return i == std::min(Edge(s), s.hidden - 1) ? s.a : s.b; }
double Halves(const Shape& s, int64_t i) { return i < Edge(s) ? s.a : s.b; }
double Groups(const Shape& s, int64_t i) { return i / s.period % 2 == 0 ? s.a : s.b; }
double Alternating(const Shape& s, int64_t i) { return Sign(i) * s.a + s.b * Part(s, i); }
double Ramp(const Shape& s, int64_t i) { return s.a * Part(s, i) + s.b * Part(s, i) * Part(s, i); }
double Spikes(const Shape& s, int64_t i) { return i % s.period == 0 ? s.a : s.b; }

double HeadAndTail(const Shape& s, int64_t i) {
  if (i < s.period) return s.a;
  return i >= s.hidden - s.period ? -s.a : s.b;
}

// Outliers among the first elements, which set the centre; the others alternate.
double CentreOutliers(const Shape& s, int64_t i) {
  if (i < kCentre && i % (s.period % kCentre + 1) == 0) return s.a;
  return Sign(i) * s.b;
}

// The first elements stand `fraction` * 2 spreads off the mean of the others: a redo comes or does not by one
// bit.
double RedoEdge(const Shape& s, int64_t i) {
  if (i < kCentre) return 2 * s.fraction * s.a + s.b;
  return Sign(i / s.period) * s.a;
}

// Some lanes of a block high, the others low: a few accumulators carry everything.
double Lanes(const Shape& s, int64_t i) { return i % kCentre < s.period % kCentre + 1 ? s.a : s.b; }

// Four steps: sums that climb, and come back.
double Steps(const Shape& s, int64_t i) {
  const double levels[] = {s.a, s.b, -s.b, -s.a};
  return levels[std::min<int64_t>(3, i * 4 / s.hidden)];
}

// Levels change at the edge and then alternate in groups: a long run, then corrections to it.
double RunThenGroups(const Shape& s, int64_t i) { return i < Edge(s) || i / s.period % 2 == 0 ? s.a : s.b; }

// The first elements cancel, so that the centre is the base; then one long run against a short, steep one
// that brings the sum back: what the long run's additions round away does not come back with it.
double LongAndSteep(const Shape& s, int64_t i) {
  if (i < kCentre) return Sign(i) * s.a;
  const double steep = std::clamp(s.fraction, 0.01, 0.99);
  return i < Edge(s) ? s.a + s.b : -(s.a + s.b) * steep / (1 - steep);
}

double LevelOf(const Shape& s, int64_t i) {
  const double levels[] = {s.a, s.b, s.c, s.d};
  return levels[i % 4];
}

// A centre of about the base, then four levels in turns of a period's length up to the edge, and past it the
// same ones backwards, turned round and scaled: additions inside a group of blocks, and in the fold of the
// lanes, round as well.
double FourLevels(const Shape& s, int64_t i) {
  if (i < kCentre) return Sign(i) * s.a;
  const double steep = std::clamp(s.fraction, 0.01, 0.99);
  const int64_t turn = i / s.period;
  return i < Edge(s) ? LevelOf(s, turn) : -LevelOf(s, 3 - turn % 4) * steep / (1 - steep);
}

// Four levels in runs, the centre set by the first of them.
double FourRuns(const Shape& s, int64_t i) { return LevelOf(s, i / s.period); }

double Flat(const Shape&, int64_t) { return 0; }  // base and noise alone

// Magnitudes from a to b, so that every exponent between them takes part.
double Geometric(const Shape& s, int64_t i) {
  return Sign(i / s.period) * s.a * std::exp2(Part(s, i) * std::clamp(s.b, -100.0, 100.0));
}

struct Family {
  std::string_view name;
  double (*element)(const Shape&, int64_t);
};

constexpr Family kFamilies[] = {
    {"one_hot", OneHot},
    {"halves", Halves},
    {"groups", Groups},
    {"head_tail", HeadAndTail},
    {"centre", CentreOutliers},
    {"redo_edge", RedoEdge},
    {"alternating", Alternating},
    {"ramp", Ramp},
    {"lanes", Lanes},
    {"spikes", Spikes},
    {"steps", Steps},
    {"run_groups", RunThenGroups},
    {"long_steep", LongAndSteep},
    {"four_levels", FourLevels},
    {"four_runs", FourRuns},
    {"noise", Flat},
    {"geometric", Geometric},
};

int FamilyOf(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kFamilies), std::end(kFamilies), [&](auto& f) { return f.name == name; });
  return static_cast<int>(found - std::begin(kFamilies));
}

float Cut(double value) { return static_cast<float>(std::clamp(value, double{-FLT_MAX}, double{FLT_MAX})); }

}  // namespace

int FamilyCount() { return static_cast<int>(std::size(kFamilies)); }
std::string_view FamilyName(int family) { return kFamilies[family].name; }

std::vector<float> MakeShape(const Shape& shape) {
  Random random(shape.seed);
  const auto element = kFamilies[shape.family].element;
  std::vector<float> row(static_cast<size_t>(shape.hidden));
  for (int64_t i = 0; i < shape.hidden; ++i) {
    double value = shape.base + element(shape, i);
    if (shape.noise != 0) value += shape.noise * random.Bell();
    row[static_cast<size_t>(i)] = Cut(value);
  }
  return row;
}

std::string Describe(const Shape& s) {
  return absl::StrFormat("%s,%d,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%d,%.17g,%d", FamilyName(s.family),
                         s.hidden, s.a, s.b, s.c, s.d, s.base, s.noise, s.fraction, s.period, s.epsilon,
                         s.seed);
}

std::optional<Shape> ParseShape(std::string_view text) {
  const std::vector<std::string> parts = absl::StrSplit(std::string(text), ',');
  Shape s;
  if (parts.size() != 12) return std::nullopt;
  s.family = FamilyOf(parts[0]);
  if (s.family == FamilyCount()) return std::nullopt;
  const bool read = absl::SimpleAtoi(parts[1], &s.hidden) && absl::SimpleAtod(parts[2], &s.a) &&
                    absl::SimpleAtod(parts[3], &s.b) && absl::SimpleAtod(parts[4], &s.c) &&
                    absl::SimpleAtod(parts[5], &s.d) && absl::SimpleAtod(parts[6], &s.base) &&
                    absl::SimpleAtod(parts[7], &s.noise) && absl::SimpleAtod(parts[8], &s.fraction) &&
                    absl::SimpleAtoi(parts[9], &s.period) && absl::SimpleAtod(parts[10], &s.epsilon) &&
                    absl::SimpleAtoi(parts[11], &s.seed);
  if (!read || s.hidden < 1 || s.period < 1) return std::nullopt;
  return s;
}

std::vector<Shape> KnownBadShapes() {
  constexpr std::string_view kTexts[] = {
      "one_hot,4096,16.1,0.000688,0,0,0,0,0,1,1e-5,0",
      "one_hot,4096,1.416,0,0,0,0,0,0,1,1e-5,0",
      "halves,1024,-0.93,-1.05,0,0,0,0,0.5,1,1e-5,0",
      "alternating,4096,1.3,0,0,0,0,0,0,1,1e-5,0",
      "alternating,65536,1.3,0,0,0,0,0,0,1,1e-5,0",
      "noise,4096,1,0,0,0,100000,0.01,0,1,1e-5,1",
      "noise,1000,1,0,0,0,10000000,3,0,1,1e-5,2",
      "groups,4096,1.7,-0.9,0,0,0,0,0,256,1e-5,0",
      "groups,8192,0.77,-1.31,0,0,0,0,0,1024,1e-5,0",
      "head_tail,2048,3.3,0.001,0,0,0,0,0,64,1e-5,0",
      "centre,4096,1000,0.37,0,0,0,0,0,3,1e-5,0",
      "redo_edge,1024,1.1,0,0,0,0,0,0.25,1,1e-5,0",
      "redo_edge,4096,1.1,0,0,0,0,0,1,1,1e-5,0",
      "ramp,16384,3,1,0,0,0,0,0,1,1e-5,0",
      "lanes,4096,1.9,-0.07,0,0,0,0,0,1,1e-5,0",
      "spikes,4096,2.1,-0.013,0,0,0,0,0,32,1e-5,0",
      "steps,4096,1.03,0.97,0,0,0,0,0,1,1e-5,0",
      "run_groups,4096,1.01,0.99,0,0,0,0,0.5,32,1e-5,0",
      "long_steep,2048,1.37,0.01,0,0,0,0,0.7,1,1e-5,0",
      "four_levels,1024,1.1,1.2,1.3,1.4,0,0,0.5,32,1e-5,0",
      "four_runs,1024,1.1,-1.2,0.3,0.4,0,0,0,256,1e-5,0",
      "geometric,1024,1e-20,80,0,0,0,0,0,1,1e-12,0",
      "noise,771,1,0,0,0,0,1e-41,0,1,0,3",
      "one_hot,65536,3e38,-3e38,0,0,0,0,0.5,1,1e-5,0",
      // Found here, in this order: on these constants; with a redo from 4 * var on, from var on; with 16 and
      // 32 additions before a flush; with 4.
      "one_hot,1032,1.0012566314548745,6.0533789272551177e-06,-0,-0.0010228002040292489,"
      "0.00026245460722694236,1.4153772513436237e-06,0.0051136904596271703,32,0,0",
      "redo_edge,969,-0.41710459172987008,0.43242409482986327,0.00068154825407936348,"
      "0.0002465414805607105,-0.71133972316135885,0,0.10298273911130902,832,1.0000000000000001e-05,0",
      "four_runs,1135,-0.2655667777468006,-0.26320191931258524,3.2109309438545141e-05,"
      "5.4945438821801402e-07,0.014349164365541211,0,0.91877734146519652,32,1.0000000000000001e-05,"
      "6787497571807349472",
      "four_levels,2334,-0.9098004156515781,1.8145976810736899e-06,0,0.17294706707897864,"
      "-0.14041976232759834,0,0.15449208305684736,4096,1.0000000000000001e-05,0",
      "centre,8200,2129.6152127608757,0.00021873176917149898,-0,-0.00063754634575961897,"
      "-2836.8983167942379,0,0.68252226066822297,1318,1.0000000000000001e-05,0",
      "long_steep,256,2.0043912486927331,2.0048980285616769,0,-1.1950122549575642e-07,"
      "0.000869837869456894,0,0.0047784813171079495,2,9.9999999999999998e-13,0",
  };
  std::vector<Shape> shapes;
  for (const std::string_view text : kTexts) shapes.push_back(ParseShape(text).value());
  return shapes;
}

}  // namespace normd
