// SPDX-License-Identifier: Apache-2.0
//
// Families of rows built to make float additions drift, each a formula of a few parameters, so that a search
// can climb on them and a row it finds can be written down and made again.

#ifndef NORMD_TESTS_KERNELS_SHAPES_H_
#define NORMD_TESTS_KERNELS_SHAPES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rows.h"

namespace normd {

struct Shape {
  int family = 0;  // index into the names
  int64_t hidden = 1;
  double a = 1;  // one level
  double b = 0;  // the other level
  double c = 0;  // two more, for the families that have four
  double d = 0;
  double base = 0;      // added to every element
  double noise = 0;     // spread of a bell-shaped addition
  double fraction = 0;  // where the levels change, 0 to 1
  int64_t period = 1;   // elements in a group
  double epsilon = 1e-5;
  uint64_t seed = 0;  // of the noise
};

int FamilyCount();
std::string_view FamilyName(int family);

// The row. Values beyond float32 are cut to its largest; there is no NaN.
std::vector<float> MakeShape(const Shape& shape);

// "one_hot,hidden,a,b,c,d,base,noise,fraction,period,epsilon,seed" with every digit; ParseShape reads it
// back, and is empty for a text that is no shape.
std::string Describe(const Shape& shape);
std::optional<Shape> ParseShape(std::string_view text);

// Rows found by hand or by earlier searches; each family has at least one, to climb on from.
std::vector<Shape> KnownBadShapes();

Shape RandomShape(int family, int64_t max_hidden, Random& random);
// `shape` with one or two parameters changed, by much or by one bit.
Shape Mutated(Shape shape, int64_t max_hidden, Random& random);

}  // namespace normd

#endif  // NORMD_TESTS_KERNELS_SHAPES_H_
