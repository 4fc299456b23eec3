// SPDX-License-Identifier: Apache-2.0
#include "security/pem_files.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "security/small_file.h"

namespace normd {
namespace {

constexpr size_t kMaxPemBytes = 1 << 20;  // the authorities of a whole system have some 200 KB

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
template <class Type>
using Owned = std::unique_ptr<Type, Free>;

absl::Status Wrong(const std::string& path, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(ShownPath(path), ": ", what));
}

// What OpenSSL said last on this thread; nothing is left behind for others to find.
std::string TakeReason() {
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return reason == nullptr ? "unknown" : reason;
}

Owned<BIO> View(const std::string& pem) {
  return Owned<BIO>(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

absl::StatusOr<std::vector<Owned<X509>>> ParseCertificates(const std::string& pem, const std::string& path) {
  ERR_clear_error();
  const Owned<BIO> bio = View(pem);
  std::vector<Owned<X509>> certificates;
  while (X509* certificate = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
    certificates.emplace_back(certificate);
  }
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  const std::string reason = TakeReason();
  if (!at_end)
    return Wrong(path, absl::StrCat("certificate ", certificates.size() + 1, " is malformed: ", reason));
  if (certificates.empty()) return Wrong(path, "expected a certificate in PEM, found none");
  return certificates;
}

// Without it, OpenSSL would ask the terminal for a passphrase.
int RefusePassphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

absl::StatusOr<Owned<EVP_PKEY>> ParseKey(const std::string& pem, const std::string& path) {
  ERR_clear_error();
  bool asked = false;
  Owned<EVP_PKEY> key(PEM_read_bio_PrivateKey(View(pem).get(), nullptr, RefusePassphrase, &asked));
  const std::string reason = TakeReason();
  if (asked) return Wrong(path, "the private key is encrypted; expected one without a passphrase");
  if (key == nullptr) return Wrong(path, absl::StrCat("expected a private key in PEM: ", reason));
  return key;
}

std::string SubjectOf(const X509& certificate) {
  char text[256];
  X509_NAME_oneline(X509_get_subject_name(&certificate), text, sizeof text);
  return text;
}

std::string TextOf(const ASN1_TIME& time) {
  const Owned<BIO> bio(BIO_new(BIO_s_mem()));
  ASN1_TIME_print(bio.get(), &time);
  char* text = nullptr;
  const auto size = static_cast<size_t>(BIO_get_mem_data(bio.get(), &text));
  return {text, size};
}

absl::Status CheckTime(const X509& certificate, const std::string& path) {
  const ASN1_TIME& begin = *X509_get0_notBefore(&certificate);
  const ASN1_TIME& end = *X509_get0_notAfter(&certificate);
  const int since_begin = X509_cmp_current_time(&begin);
  const int since_end = X509_cmp_current_time(&end);
  const std::string who = absl::StrCat("the certificate of ", SubjectOf(certificate));
  if (since_begin == 0 || since_end == 0) return Wrong(path, absl::StrCat(who, " has malformed times"));
  if (since_begin > 0) return Wrong(path, absl::StrCat(who, " is not valid before ", TextOf(begin)));
  if (since_end < 0) return Wrong(path, absl::StrCat(who, " expired on ", TextOf(end)));
  return absl::OkStatus();
}

absl::Status CheckMatch(X509* certificate, EVP_PKEY* key, const Pem& paths) {
  if (X509_check_private_key(certificate, key) != 1) {
    ERR_clear_error();
    return Wrong(paths.key, absl::StrCat("it is not the private key of the certificate in ",
                                         ShownPath(paths.certificates)));
  }
  const Owned<SSL_CTX> context(SSL_CTX_new(TLS_method()));
  if (SSL_CTX_use_certificate(context.get(), certificate) != 1)
    return Wrong(paths.certificates, absl::StrCat("the certificate cannot be used: ", TakeReason()));
  if (SSL_CTX_use_PrivateKey(context.get(), key) != 1)
    return Wrong(paths.key, absl::StrCat("the key cannot be used: ", TakeReason()));
  return absl::OkStatus();
}

absl::Status CheckOwn(const Pem& pem, const Pem& paths) {
  const auto certificates = ParseCertificates(pem.certificates, paths.certificates);
  if (!certificates.ok()) return certificates.status();
  const auto key = ParseKey(pem.key, paths.key);
  if (!key.ok()) return key.status();
  for (const auto& certificate : *certificates) {
    if (auto status = CheckTime(*certificate, paths.certificates); !status.ok()) return status;
  }
  return CheckMatch(certificates->front().get(), key->get(), paths);
}

// One is enough: a system's authorities have expired ones among them.
absl::Status CheckAuthorities(const std::string& pem, const std::string& path) {
  const auto certificates = ParseCertificates(pem, path);
  if (!certificates.ok()) return certificates.status();
  absl::Status status;
  for (const auto& certificate : *certificates) {
    status = CheckTime(*certificate, path);
    if (status.ok()) break;
  }
  return status;
}

}  // namespace

absl::StatusOr<Pem> ReadPem(const Pem& paths) {
  Pem pem;
  for (const auto part : {&Pem::certificates, &Pem::key, &Pem::authorities}) {
    if ((paths.*part).empty()) continue;
    auto text = ReadSmallFile(paths.*part, kMaxPemBytes);
    if (!text.ok()) return text.status();
    pem.*part = *std::move(text);
  }
  return pem;
}

absl::Status CheckPem(const Pem& pem, const Pem& paths) {
  absl::Status status;
  if (!paths.certificates.empty()) status = CheckOwn(pem, paths);
  if (status.ok() && !paths.authorities.empty())
    status = CheckAuthorities(pem.authorities, paths.authorities);
  return status;
}

}  // namespace normd
