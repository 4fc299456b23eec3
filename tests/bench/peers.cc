// SPDX-License-Identifier: Apache-2.0
#include "peers.h"

#include <dlfcn.h>
#include <unistd.h>

namespace normd::bench {
namespace {

struct Peer {
  const char* file;  // peer_FILE.so
  const char* name;
};
constexpr Peer kPeers[] = {{"onednn2", "oneDNN 2"},
                           {"onednn3", "oneDNN 3"},
                           {"torch", "PyTorch"},
                           {"onnxruntime", "ONNX Runtime"},
                           {"ctranslate2", "CTranslate2"}};

void LoadPeer(const std::string& path, Contestants& contestants) {
  if (access(path.c_str(), R_OK) != 0)
    throw std::runtime_error("not found when this was configured (./dev setup --peers)");
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  const auto add = reinterpret_cast<bench::AddPeer>(dlsym(library, kPeerSymbol));
  if (add == nullptr) throw std::runtime_error(dlerror());
  add(contestants);
}

}  // namespace

void AddPeers(const std::string& folder, Contestants& contestants) {
  for (const Peer& peer : kPeers) {
    try {
      LoadPeer(folder + "/peer_" + peer.file + ".so", contestants);
    } catch (const std::exception& error) {
      contestants.push_back({.name = peer.name,
                             .part = Part::kKernel,
                             .what = "",
                             .prepare = nullptr,
                             .why_not = error.what()});
    }
  }
}

}  // namespace normd::bench
