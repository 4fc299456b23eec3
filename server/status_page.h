// SPDX-License-Identifier: Apache-2.0
//
// The status page: one HTML file for people, without scripts or anything from elsewhere.

#ifndef NORMD_SERVER_STATUS_PAGE_H_
#define NORMD_SERVER_STATUS_PAGE_H_

#include <string>
#include <utility>
#include <vector>

#include "layer_registry.h"
#include "metrics.h"
#include "metrics_text.h"
#include "recent.h"

namespace normd {

// What the page shows that does not change.
struct PageFacts {
  BuildInfo build;
  std::vector<std::pair<std::string, std::string>> settings;  // option and value
};

// `layers` may be null, while they are loaded.
std::string StatusPage(const Metrics& metrics, const PageFacts& facts, const Recent& recent,
                       const LayerRegistry* layers);

}  // namespace normd

#endif  // NORMD_SERVER_STATUS_PAGE_H_
