// SPDX-License-Identifier: Apache-2.0
//
// Who is measured: servers, each a process that listens on a Unix socket and on TCP, and the client that each
// contestant calls its server by.

#ifndef NORMD_TESTS_BENCH_SERVICE_CONTESTANTS_H_
#define NORMD_TESTS_BENCH_SERVICE_CONTESTANTS_H_

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "child.h"
#include "client.h"
#include "flags.h"

namespace normd::bench {

struct Label {
  std::string name;
  std::string what;
};

struct Contestant {
  Label label;
  std::string server;     // the name of its server
  bool in_flight = true;  // whether it can have several calls in flight
  std::function<std::unique_ptr<Client>(const std::string& address)> connect;
};

// A folder that is removed at the end.
class Folder {
 public:
  Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder();
  std::string File(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// Those that the flags want, with their servers running until this is destroyed.
class Contestants {
 public:
  // `core`: where the servers run; -1: anywhere.
  Contestants(const Flags& flags, int server_core);

  const std::vector<Contestant>& all() const { return all_; }
  std::vector<Label> labels() const;

  // One a contestant.
  std::vector<std::unique_ptr<Client>> Connect(Transport transport) const;

 private:
  struct Server {
    std::string name;
    std::string addresses[2];  // by transport
    std::unique_ptr<Child> child;
  };

  void Add(Contestant contestant);
  void StartServer(const std::string& name, int core);
  std::vector<std::string> Command(const Server& server) const;
  const Server& ServerOf(const Contestant& contestant) const;

  const Flags& flags_;
  std::filesystem::path programs_;
  Folder folder_;
  std::vector<Contestant> all_;
  std::vector<Server> servers_;
};

}  // namespace normd::bench

#endif  // NORMD_TESTS_BENCH_SERVICE_CONTESTANTS_H_
