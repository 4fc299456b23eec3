// SPDX-License-Identifier: Apache-2.0
//
// Certificates and keys in PEM, looked at before gRPC is given them: it would say of a mistake that a
// handshake failed.

#ifndef NORMD_SECURITY_PEM_FILES_H_
#define NORMD_SECURITY_PEM_FILES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace normd {

// Paths, or what is in them; empty where there is none.
struct Pem {
  std::string certificates;  // one's own, and after it those that lead from it to an authority
  std::string key;           // of the first of them
  std::string authorities;   // that the other side's certificate must come from

  bool operator==(const Pem&) const = default;
};

// Errors: InvalidArgument that names the file and why it cannot be read.
absl::StatusOr<Pem> ReadPem(const Pem& paths);

// Whether `pem`, out of `paths`, can be used now.
// Errors: InvalidArgument that names the file and says what is wrong: malformed, encrypted, expired, not yet
// valid, a key that belongs to another certificate, or one that OpenSSL finds too weak.
absl::Status CheckPem(const Pem& pem, const Pem& paths);

}  // namespace normd

#endif  // NORMD_SECURITY_PEM_FILES_H_
