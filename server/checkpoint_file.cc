// SPDX-License-Identifier: Apache-2.0

#include "checkpoint_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace normd {
namespace {

constexpr size_t kLongestQuote = 200;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) {
      close(number_);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }

 private:
  int number_;
};

absl::Status SystemError(std::string_view verb, const std::string& path) {
  const int error = errno;
  return absl::ErrnoToStatus(
      error, absl::StrCat("cannot ", absl::string_view(verb.data(), verb.size()), " ", Quoted(path)));
}

absl::Status CheckRegular(const struct stat& status, const std::string& path) {
  if (S_ISDIR(status.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(Quoted(path), " is a folder, expected a file"));
  }
  if (!S_ISREG(status.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(Quoted(path), " is not a regular file"));
  }
  if (status.st_size == 0) {
    return absl::InvalidArgumentError(absl::StrCat(Quoted(path), " is empty"));
  }
  return absl::OkStatus();
}

}  // namespace

void MappedFile::Unmap::operator()(void* address) const noexcept { munmap(address, size); }

absl::StatusOr<MappedFile> MappedFile::Open(const std::string& path) {
  // Without O_NONBLOCK a named pipe would hold the start until somebody writes to it.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0) {
    return SystemError("open", path);
  }
  struct stat status = {};
  if (fstat(file.number(), &status) != 0) {
    return SystemError("examine", path);
  }
  if (absl::Status regular = CheckRegular(status, path); !regular.ok()) {
    return regular;
  }
  const auto size = static_cast<size_t>(status.st_size);
  void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (address == MAP_FAILED) {
    return SystemError("map", path);
  }
  return MappedFile(address, size);
}

std::string Quoted(std::string_view text) {
  const std::string_view kept = text.substr(0, kLongestQuote);
  return absl::StrCat("\"", absl::CHexEscape(absl::string_view(kept.data(), kept.size())),
                      kept.size() < text.size() ? "...\"" : "\"");
}

}  // namespace normd
