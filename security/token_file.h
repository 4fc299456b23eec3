// SPDX-License-Identifier: Apache-2.0
//
// A bearer token out of a file, which is read again as it may be replaced while the process runs.

#ifndef NORMD_SECURITY_TOKEN_FILE_H_
#define NORMD_SECURITY_TOKEN_FILE_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"

namespace normd {

inline constexpr size_t kMinTokenBytes = 16;
inline constexpr size_t kMaxTokenBytes = 4096;

// The token in `path`, without the newline after it.
// Errors: InvalidArgument that names the file and says nothing of what is in it.
absl::StatusOr<std::string> ReadToken(const std::string& path);

class TokenFile {
 public:
  using Time = std::chrono::steady_clock::time_point;
  // Is told why the file cannot be used any more: once, until it says something else.
  using Report = std::function<void(const absl::Status&)>;

  // Errors: those of ReadToken.
  static absl::StatusOr<std::unique_ptr<TokenFile>> Open(const std::string& path, Report report = nullptr);

  // The token as it was in the file at most a second before `now`. A file that cannot be used leaves the last
  // token in place: it may be in the middle of being written. From any thread.
  std::string At(Time now);

 private:
  TokenFile(std::string path, std::string token, Report report)
      : path_(std::move(path)), report_(std::move(report)), token_(std::move(token)) {}
  void ReadAgain() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string path_;
  const Report report_;
  absl::Mutex mutex_;
  std::string token_ ABSL_GUARDED_BY(mutex_);
  Time read_at_ ABSL_GUARDED_BY(mutex_) = std::chrono::steady_clock::now();
  absl::Status reported_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace normd

#endif  // NORMD_SECURITY_TOKEN_FILE_H_
