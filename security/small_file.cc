// SPDX-License-Identifier: Apache-2.0
#include "security/small_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace normd {
namespace {

absl::Status CannotRead(const std::string& path, absl::string_view reason) {
  return absl::InvalidArgumentError(absl::StrCat("cannot read ", ShownPath(path), ": ", reason));
}

// A file descriptor that closes itself.
class File {
 public:
  // Without O_NONBLOCK, a pipe that nobody writes to would hold its reader for ever.
  explicit File(const std::string& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

std::string ShownPath(const std::string& path) { return absl::CHexEscape(path.substr(0, 256)); }

absl::StatusOr<std::string> ReadSmallFile(const std::string& path, size_t max_bytes) {
  const File file(path);
  struct stat about = {};
  if (file.fd() < 0 || fstat(file.fd(), &about) != 0) return CannotRead(path, std::strerror(errno));
  if (!S_ISREG(about.st_mode)) return CannotRead(path, "it is no regular file");
  const auto expected = static_cast<size_t>(about.st_size);
  if (expected > max_bytes)
    return CannotRead(path, absl::StrCat("it has ", expected, " bytes; expected at most ", max_bytes));
  std::string text(expected + 1, '\0');  // one more, to see the end
  size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = read(file.fd(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return CannotRead(path, std::strerror(errno));
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  if (size > expected) return CannotRead(path, "it is being written");
  text.resize(size);
  return text;
}

}  // namespace normd
