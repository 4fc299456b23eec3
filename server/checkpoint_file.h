// SPDX-License-Identifier: Apache-2.0
//
// A file of a checkpoint, as bytes that are read where they lie.

#ifndef NORMD_SERVER_CHECKPOINT_FILE_H_
#define NORMD_SERVER_CHECKPOINT_FILE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace normd {

// A regular file, mapped: only the pages that are looked at are read from the disk.
// The file must keep its length while it is mapped. One that is cut short ends the process by SIGBUS when a
// page past its new end is touched; checkpoints are replaced by renaming, which leaves the mapped file whole.
class MappedFile {
 public:
  // Errors, with the file's name: the system's own, where it cannot be opened or mapped; InvalidArgument for
  // a folder, a device, or an empty file.
  static absl::StatusOr<MappedFile> Open(const std::string& path);

  std::string_view bytes() const { return {static_cast<const char*>(map_.get()), map_.get_deleter().size}; }

 private:
  struct Unmap {
    size_t size = 0;
    void operator()(void* address) const noexcept;
  };

  MappedFile(void* address, size_t size) : map_(address, Unmap{size}) {}

  std::unique_ptr<void, Unmap> map_;
};

// `text` between quotes, for an error: control bytes and what is not ASCII escaped, cut after 200 bytes.
std::string Quoted(std::string_view text);

}  // namespace normd

#endif  // NORMD_SERVER_CHECKPOINT_FILE_H_
