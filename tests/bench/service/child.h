// SPDX-License-Identifier: Apache-2.0
//
// A process that ends with this one, whichever way that ends.

#ifndef NORMD_TESTS_BENCH_SERVICE_CHILD_H_
#define NORMD_TESTS_BENCH_SERVICE_CHILD_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "socket.h"

namespace normd::bench {

struct Spawn {
  std::vector<std::string> command;  // its first element is a path
  std::string log;                   // the file that its standard error goes to
  int core = -1;                     // where it may run; -1: where this process may
};

class Child {
 public:
  // Throws where the program cannot be run.
  explicit Child(Spawn spawn);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();  // SIGTERM, and SIGKILL after 5 s

  // Its standard input and output.
  int input() const { return input_.fd(); }
  int output() const { return output_.fd(); }

  // Returns once somebody listens on the address. Throws what the child said where it ends before, and after
  // 20 s.
  void AwaitListener(const std::string& address);

  // What stands in its log, at most the last 2,000 bytes.
  std::string Said() const;

 private:
  bool Ended();

  Spawn spawn_;
  pid_t pid_ = -1;
  Socket input_;
  Socket output_;
};

}  // namespace normd::bench

#endif  // NORMD_TESTS_BENCH_SERVICE_CHILD_H_
