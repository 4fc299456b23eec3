// SPDX-License-Identifier: Apache-2.0
#include "request.h"

#include <random>
#include <string>
#include <vector>

namespace normd::bench {

v1::NormalizeRequest MakeRequest(const Shape& shape) {
  std::vector<float> values(static_cast<size_t>(shape.values()));
  std::mt19937 engine(1607);
  std::uniform_real_distribution<float> uniform(-3, 3);
  for (float& value : values) value = uniform(engine);
  v1::NormalizeRequest request;
  request.set_layer("layer_norm");
  request.set_hidden(shape.hidden);
  request.set_data(values.data(), shape.bytes());
  return request;
}

}  // namespace normd::bench
