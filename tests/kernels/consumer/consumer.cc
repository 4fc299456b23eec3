// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "normd/norm.h"

int main() {
  const float x[] = {3.2F, -1.8F, 0.5F, 2.1F};
  float y[4];
  const auto layer = normd::Norm::Create({.hidden = 4});
  if (!layer.ok() || !layer->Run({.rows = 1, .x = {x}, .y = {y}}).ok()) return 1;
  return std::fabs(y[0] - 1.17011F) < 1e-5F && std::fabs(y[1] + 1.48923F) < 1e-5F ? 0 : 1;
}
