// SPDX-License-Identifier: Apache-2.0
#include "contestants.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace normd::bench {
namespace {

bool Wanted(const std::string& name, const std::vector<std::string>& only) {
  return only.empty() || std::any_of(only.begin(), only.end(), [&](const std::string& part) {
           return name.find(part) != std::string::npos;
         });
}

auto Lean(Answer answer) {
  return [answer](const std::string& address) { return MakeLeanClient(address, answer); };
}

}  // namespace

Folder::Folder() {
  std::string path = std::filesystem::temp_directory_path() / "normd-bench-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("cannot make a folder like " + path);
  path_ = path;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Contestants::Contestants(const Flags& flags, int server_core)
    : flags_(flags), programs_(std::filesystem::read_symlink("/proc/self/exe").parent_path()) {
  Add({{"normd", "normd itself, the lean client"}, "normd", true, Lean(Answer::kNormalized)});
  Add({{"echo", "the leanest gRPC server, the lean client"}, "echo", true, Lean(Answer::kEcho)});
  Add({{"plain", "synchronous server and stub, protobuf, shared libraries"},
       "plain",
       true,
       [this](const std::string& address) {
         return MakePlainClient(
             {.command = {programs_ / "bench_plain", "client", address}, .log = folder_.File("client.log")});
       }});
  Add({{"plain+lean", "the plain server, the lean client"}, "plain", true, Lean(Answer::kResponse)});
  Add({{"raw", "the same bytes over a bare socket"}, "raw", false, [](const std::string& address) {
         return MakeRawClient(address);
       }});
  if (all_.empty()) throw std::runtime_error("--only leaves nobody to measure");
  for (const Contestant& contestant : all_) StartServer(contestant.server, server_core);
}

void Contestants::Add(Contestant contestant) {
  if (Wanted(contestant.label.name, flags_.only)) all_.push_back(std::move(contestant));
}

std::vector<Label> Contestants::labels() const {
  std::vector<Label> labels;
  for (const Contestant& contestant : all_) labels.push_back(contestant.label);
  return labels;
}

std::vector<std::string> Contestants::Command(const Server& server) const {
  const std::string& local = server.addresses[0];
  const std::string& internet = server.addresses[1];
  if (server.name == "normd") return {flags_.normd, "--listen", local, "--listen", internet};
  if (server.name == "plain") return {programs_ / "bench_plain", "server", local, internet};
  return {programs_ / ("bench_" + server.name + "_server"), local, internet};
}

void Contestants::StartServer(const std::string& name, int core) {
  if (std::any_of(servers_.begin(), servers_.end(), [&](const Server& s) { return s.name == name; })) return;
  Server server{
      .name = name, .addresses = {"unix:" + folder_.File(name), FreeTcpAddress()}, .child = nullptr};
  server.child = std::make_unique<Child>(
      Spawn{.command = Command(server), .log = folder_.File(name + ".log"), .core = core});
  for (const std::string& address : server.addresses) server.child->AwaitListener(address);
  servers_.push_back(std::move(server));
}

const Contestants::Server& Contestants::ServerOf(const Contestant& contestant) const {
  return *std::find_if(servers_.begin(), servers_.end(),
                       [&](const Server& server) { return server.name == contestant.server; });
}

std::vector<std::unique_ptr<Client>> Contestants::Connect(Transport transport) const {
  std::vector<std::unique_ptr<Client>> clients;
  for (const Contestant& contestant : all_) {
    const Server& server = ServerOf(contestant);
    clients.push_back(contestant.connect(server.addresses[transport == Transport::kUnix ? 0 : 1]));
  }
  return clients;
}

}  // namespace normd::bench
