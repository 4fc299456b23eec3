// SPDX-License-Identifier: Apache-2.0
//
// What the HTTP port answers.

#ifndef NORMD_SERVER_PAGES_H_
#define NORMD_SERVER_PAGES_H_

#include <atomic>
#include <string_view>
#include <utility>

#include "http_message.h"
#include "layer_registry.h"
#include "metrics.h"
#include "recent.h"
#include "status_page.h"

namespace normd {

class Pages {
 public:
  // `metrics` must outlive the pages.
  Pages(const Metrics* metrics, PageFacts facts) : metrics_(metrics), facts_(std::move(facts)) {}

  // From any thread, once nothing changes in them any more.
  void ShowLayers(const LayerRegistry* layers) { layers_.store(layers, std::memory_order_release); }

  // On the HTTP server's thread.
  HttpResponse Answer(std::string_view path) const;
  void Sample() { recent_.Sample(TotalsOf(*metrics_), Clock::now()); }

 private:
  HttpResponse Ready() const;

  const Metrics* metrics_;
  PageFacts facts_;
  Recent recent_;
  std::atomic<const LayerRegistry*> layers_ = nullptr;
};

}  // namespace normd

#endif  // NORMD_SERVER_PAGES_H_
