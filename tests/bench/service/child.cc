// SPDX-License-Identifier: Apache-2.0
#include "child.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

namespace normd::bench {
namespace {

constexpr auto kStep = std::chrono::milliseconds(5);

struct Pipe {
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe");
    reader = Socket(ends[0]);
    writer = Socket(ends[1]);
  }
  Socket reader;
  Socket writer;
};

// In the child, between fork and exec: system calls alone, since another thread may have held any lock.
[[noreturn]] void Become(char* const* command, const char* log, int core, int input, int output) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (core >= 0) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    sched_setaffinity(0, sizeof(set), &set);
  }
  const int log_fd = open(log, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(log_fd, STDERR_FILENO);
  execv(command[0], command);
  const char reason[] = "cannot be run\n";
  [[maybe_unused]] const ssize_t n = write(STDERR_FILENO, reason, sizeof(reason) - 1);
  _exit(127);
}

}  // namespace

Child::Child(Spawn spawn) : spawn_(std::move(spawn)) {
  Pipe in;
  Pipe out;
  std::vector<char*> command;
  for (std::string& argument : spawn_.command) command.push_back(argument.data());
  command.push_back(nullptr);
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("cannot fork: " + std::string(strerror(errno)));
  if (pid_ == 0) Become(command.data(), spawn_.log.c_str(), spawn_.core, in.reader.fd(), out.writer.fd());
  input_ = std::move(in.writer);
  output_ = std::move(out.reader);
}

Child::~Child() {
  if (pid_ < 0) return;
  kill(pid_, SIGTERM);
  for (int tries = 0; tries < 1000; ++tries) {
    if (Ended()) return;
    std::this_thread::sleep_for(kStep);
  }
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool Child::Ended() {
  if (pid_ >= 0 && waitpid(pid_, nullptr, WNOHANG) != 0) pid_ = -1;
  return pid_ < 0;
}

void Child::AwaitListener(const std::string& address) {
  for (int tries = 0; tries < 4000; ++tries) {
    if (TryConnect(address).valid()) return;
    if (Ended()) throw std::runtime_error(spawn_.command[0] + " ended: " + Said());
    std::this_thread::sleep_for(kStep);
  }
  throw std::runtime_error(spawn_.command[0] + " does not listen on " + address + ": " + Said());
}

std::string Child::Said() const {
  std::ifstream file(spawn_.log);
  std::ostringstream text;
  text << file.rdbuf();
  const std::string all = text.str();
  return all.size() <= 2000 ? all : all.substr(all.size() - 2000);
}

}  // namespace normd::bench
