// SPDX-License-Identifier: Apache-2.0
//
// Where the search starts, and the steps it takes.

#include <algorithm>
#include <cmath>

#include "shapes.h"

namespace normd {
namespace {

double Magnitude(double low, double high, Random& random) {
  return (random.Below(2) == 0 ? 1 : -1) * std::exp2(random.Between(low, high));
}

// Errors do not grow with the width once the lanes are flushed, and narrow rows are cheap: most are a few
// flushes long.
int64_t RandomHidden(int64_t max_hidden, Random& random) {
  constexpr int64_t kNarrow = 4096;
  if (random.Below(8) != 0) max_hidden = std::min(max_hidden, kNarrow);
  const double hidden = std::exp2(random.Between(0, std::log2(static_cast<double>(max_hidden) + 1)));
  const auto free = std::clamp<int64_t>(static_cast<int64_t>(hidden), 1, max_hidden);
  if (random.Below(2) == 0) return free;
  // Powers of two and their neighbours are where blocks, trees and flushes begin and end.
  const int64_t power = int64_t{1} << static_cast<int>(std::log2(static_cast<double>(free)));
  return std::clamp<int64_t>(power + random.Below(3) - 1, 1, max_hidden);
}

int64_t RandomPeriod(Random& random) {
  const int64_t power = int64_t{1} << random.Below(15);
  return random.Below(3) == 0 ? random.Below(power) + 1 : power;
}

// Mostly ordinary scales; now and then near both ends of float32.
double RandomScale(Random& random) {
  switch (random.Below(8)) {
    case 0:
      return Magnitude(-148, -100, random);
    case 1:
      return Magnitude(60, 127, random);
    default:
      return Magnitude(-12, 12, random);
  }
}

double RandomBase(double scale, Random& random) {
  if (random.Below(3) != 0) return 0;
  return random.Below(2) == 0 ? Magnitude(0, 23.25, random) : scale * Magnitude(0, 20, random);
}

double RandomEpsilon(Random& random) {
  constexpr double kEpsilons[] = {1e-5, 1e-5, 1e-12, 0, 1e-3};
  return kEpsilons[random.Below(5)];
}

// From a jump of many octaves down to a change of the last bit of a float.
void Nudge(double& value, double scale, Random& random) {
  const double step = std::exp2(-static_cast<double>(random.Below(25)));
  switch (random.Below(6)) {
    case 0:
      value = scale * Magnitude(-24, 4, random);
      break;
    case 1:
      value = -value;
      break;
    case 2:
      value = value == 0 ? scale * step : 0;
      break;
    default:
      value *= 1 + step * random.Bell();
      break;
  }
}

void NudgeHidden(Shape& shape, int64_t max_hidden, Random& random) {
  constexpr int64_t kSteps[] = {1, -1, 8, -8, 32, -32, 256, -256};
  switch (random.Below(4)) {
    case 0:
      shape.hidden = RandomHidden(max_hidden, random);
      break;
    case 1:
      shape.hidden *= 2;
      break;
    case 2:
      shape.hidden /= 2;
      break;
    default:
      shape.hidden += kSteps[random.Below(8)];
      break;
  }
  shape.hidden = std::clamp<int64_t>(shape.hidden, 1, max_hidden);
}

void NudgeFraction(Shape& shape, Random& random) {
  if (random.Below(3) == 0) {
    shape.fraction = random.Uniform();
  } else {
    shape.fraction += random.Bell() * std::exp2(-static_cast<double>(random.Below(20)) - 2);
  }
  shape.fraction = std::clamp(shape.fraction, 0.0, 1.0);
}

void NudgePeriod(Shape& shape, Random& random) {
  shape.period =
      random.Below(2) == 0 ? RandomPeriod(random) : std::max<int64_t>(1, shape.period + random.Below(5) - 2);
}

void MutateOnce(Shape& shape, int64_t max_hidden, Random& random) {
  const double scale = std::max(std::fabs(shape.a), std::fabs(shape.b));
  switch (random.Below(13)) {
    case 0:
    case 1:
      Nudge(shape.a, scale, random);
      break;
    case 2:
    case 3:
      Nudge(shape.b, scale, random);
      break;
    case 4:
      shape.b = shape.a * (1 + Magnitude(-23, -1, random));
      break;
    case 5:
      Nudge(shape.base, scale, random);
      break;
    case 6:
      shape.noise = random.Below(2) == 0 ? 0 : scale * std::exp2(random.Between(-24, 0));
      break;
    case 7:
      NudgeFraction(shape, random);
      break;
    case 8:
      NudgePeriod(shape, random);
      break;
    case 9:
      shape.epsilon = RandomEpsilon(random);
      break;
    case 10:
      Nudge(shape.c, scale, random);
      break;
    case 11:
      Nudge(shape.d, scale, random);
      break;
    default:
      NudgeHidden(shape, max_hidden, random);
      break;
  }
}

}  // namespace

Shape RandomShape(int family, int64_t max_hidden, Random& random) {
  Shape shape;
  shape.family = family;
  shape.hidden = RandomHidden(max_hidden, random);
  shape.a = RandomScale(random);
  shape.b =
      random.Below(2) == 0 ? shape.a * (1 + Magnitude(-23, 1, random)) : shape.a * Magnitude(-24, 2, random);
  shape.c = shape.a * Magnitude(-6, 1, random);
  shape.d = shape.a * Magnitude(-6, 1, random);
  shape.base = RandomBase(std::fabs(shape.a), random);
  shape.noise = random.Below(3) == 0 ? std::fabs(shape.a) * std::exp2(random.Between(-24, 0)) : 0;
  constexpr double kFractions[] = {0, 0.25, 0.5, 1};
  shape.fraction = random.Below(2) == 0 ? kFractions[random.Below(4)] : random.Uniform();
  shape.period = RandomPeriod(random);
  shape.epsilon = RandomEpsilon(random);
  shape.seed = random.Next();
  return shape;
}

Shape Mutated(Shape shape, int64_t max_hidden, Random& random) {
  MutateOnce(shape, max_hidden, random);
  if (random.Below(3) == 0) MutateOnce(shape, max_hidden, random);
  return shape;
}

}  // namespace normd
