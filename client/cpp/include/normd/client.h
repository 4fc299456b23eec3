// SPDX-License-Identifier: Apache-2.0
//
// A client of the normd service.
//
// A token is a row of `hidden` values; a batch is one or many sequences of tokens, one after another and
// without padding. Errors are the server's own status codes and texts; those that begin here are
// InvalidArgument for a batch that no server could accept and for files that cannot be used, Unavailable for
// a server that cannot be reached, DeadlineExceeded, and Internal for an answer that does not fit its
// request.

#ifndef NORMD_CLIENT_H_
#define NORMD_CLIENT_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "normd/types.h"

namespace normd {

// How the two sides know each other. Files are read when the client connects, the token again as it changes.
struct Security {
  bool tls = false;         // on TCP; each of the next four asks for it as well
  std::string tls_ca;       // file of the authorities that the server's certificate must come from, in PEM;
                            // empty: the system's
  std::string tls_cert;     // file of the client's own certificate, in PEM; it needs tls_key
  std::string tls_key;      // file of its private key, in PEM and without a passphrase
  std::string server_name;  // in the server's certificate, where that is not the host of the address
  std::string token_file;   // file of the bearer token that calls carry, over plain text as well

  bool UsesTls() const {
    return tls || !tls_ca.empty() || !tls_cert.empty() || !tls_key.empty() || !server_name.empty();
  }
};

struct ClientOptions {
  absl::Duration connect_timeout = absl::Seconds(10);
  int64_t max_receive_bytes = -1;  // the longest answer taken; -1: any
  // Calls go in turn to all healthy servers of the address (its DNS records, or ipv4:A:PORT,B:PORT), and
  // again to another where one is UNAVAILABLE. Off, one server is asked once, which is about a tenth faster.
  bool retries = true;
  Security security = {};
};

struct CallOptions {
  absl::Duration timeout = absl::Seconds(10);
  std::vector<std::pair<std::string, std::string>> metadata = {};  // keys in lower case
};

// Parameters that go with a batch where it names no layer.
struct LayerParameters {
  NormKind kind = NormKind::kLayerNorm;
  double epsilon = 1e-5;
  std::span<const float> gamma = {};         // [hidden], or empty for 1
  std::span<const float> beta = {};          // [hidden], or empty for 0; not with rms_norm
  float gamma_offset = 0;                    // added to gamma; rms_norm alone
  std::span<const float> running_mean = {};  // [hidden]; batch_norm alone, which needs it
  std::span<const float> running_var = {};   // [hidden]; batch_norm alone, which needs it
};

// A float32, the bits of a float16 or bfloat16, or bytes of any of them.
template <class T>
concept TokenValue = std::same_as<T, float> || std::same_as<T, uint16_t> || std::same_as<T, std::byte>;

// A view of values as they lie in memory.
class Values {
 public:
  Values() = default;
  template <std::ranges::contiguous_range Range>
    requires TokenValue<std::ranges::range_value_t<Range>>
  Values(const Range& values)  // NOLINT(google-explicit-constructor): as std::span is made
      : bytes_(std::as_bytes(std::span(std::ranges::data(values), std::ranges::size(values)))) {}

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

struct Batch {
  Values tokens = {};                          // [rows, hidden] of `data_type`
  int64_t hidden = 0;                          // values a token; 0: the layer's
  std::span<const int64_t> token_counts = {};  // tokens in each sequence; none: one sequence
  std::string_view layer = {};                 // a name out of ListLayers; empty: `parameters`
  LayerParameters parameters = {};
  bool want_mean = false;
  bool want_rstd = false;
  std::string_view request_id = {};  // echoed; at most 1,024 bytes

  // Keeps `tokens` and `residual` alive, and has them sent from where they lie. Without an owner they are
  // copied first: the connection may hold on to them after a call that failed, and a caller could not know
  // for how long.
  std::shared_ptr<const void> owner = {};

  DataType data_type = DataType::kFloat32;
  Values residual = {};  // [rows, hidden], added to the tokens before they are normalized; or empty
  bool want_residual_sum = false;
};

// Where the time of a call went, in nanoseconds.
struct CallTimings {
  uint64_t marshal = 0;         // here: encoding the request
  uint64_t wait = 0;            // here: from handing it over until the answer was in memory
  uint64_t unmarshal = 0;       // here: decoding the answer
  uint64_t server_queue = 0;    // as the server measured
  uint64_t server_compute = 0;  // in the server's kernels
  uint64_t server_total = 0;    // from the whole request to the finished answer, both of the above included
};

struct Normalized {
  std::vector<float> tokens;                // [rows, hidden] of a batch in float32
  std::vector<float> residual_sum;          // [rows, hidden], where asked for
  std::vector<uint16_t> half_tokens;        // [rows, hidden] of a batch in float16 or bfloat16: their bits
  std::vector<uint16_t> half_residual_sum;  // [rows, hidden], where asked for
  std::vector<float> mean;                  // [rows], where asked for
  std::vector<float> rstd;                  // [rows], where asked for
  int64_t hidden = 0;
  std::vector<int64_t> token_counts;
  std::string request_id;
  CallTimings timings;
};

struct LayerInfo {
  std::string name;
  std::string kind;    // "layer_norm", "rms_norm" or "batch_norm"
  int64_t hidden = 0;  // 0: any
  double epsilon = 0;
  bool has_gamma = false;
  bool has_beta = false;
  std::string parameter_type;  // "float32", "float16", "bfloat16", or "" without parameters
  std::string checkpoint;      // "" for a built-in layer
};

struct ServerInfo {
  std::string version;
  int64_t numerics_revision = 0;  // servers of the same revision give the same bits
  std::vector<std::string> targets;
  std::string active_target;
  int64_t max_message_bytes = 0;
  int64_t max_sequences = 0;
  int64_t max_request_id_bytes = 0;
};

// The answer to one request of a stream.
struct StreamAnswer {
  absl::Status status;
  Normalized result;  // where status is not OK: the request_id alone
};

// Many batches over one call, answered in order. For one thread at a time.
class NormalizeStream {
 public:
  NormalizeStream(NormalizeStream&&) noexcept;
  NormalizeStream& operator=(NormalizeStream&&) noexcept;
  ~NormalizeStream();  // cancels what is still in flight

  // Each answer that nobody has received takes memory here.
  static constexpr int64_t kMaxInFlight = 4096;

  // Sends a batch. Answers that arrive meanwhile are kept for Receive.
  // Errors: ResourceExhausted where kMaxInFlight are in flight; the stream goes on.
  absl::Status Send(const Batch& batch);

  // Waits for the oldest answer. An error here is the whole stream's; a request's own is in its answer.
  absl::StatusOr<StreamAnswer> Receive();

  // Ends the stream; answers not yet received are dropped.
  absl::Status Close();

  int64_t in_flight() const;  // requests sent whose answer Receive has not given yet

 private:
  friend class Client;
  struct Impl;
  explicit NormalizeStream(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// One connection to one server. Any number of threads may call at once; each call is carried by the thread
// that makes it.
class Client {
 public:
  // `address` is host:port or unix:/path. Waits until the connection stands.
  static absl::StatusOr<Client> Connect(std::string_view address, const ClientOptions& options = {});

  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  absl::StatusOr<Normalized> Normalize(const Batch& batch, const CallOptions& options = {}) const;

  // The same into memory that is used again and again.
  absl::Status Normalize(const Batch& batch, const CallOptions& options, Normalized* result) const;

  // `options.timeout` is that of the whole stream.
  NormalizeStream Stream(const CallOptions& options = {.timeout = absl::InfiniteDuration(),
                                                       .metadata = {}}) const;

  absl::StatusOr<std::vector<LayerInfo>> ListLayers(const CallOptions& options = {}) const;
  absl::StatusOr<ServerInfo> GetServerInfo(const CallOptions& options = {}) const;

  // Whether the server, or one of its services by its full name, says that it is serving.
  absl::StatusOr<bool> Health(std::string_view service = "", const CallOptions& options = {}) const;

 private:
  struct Impl;
  explicit Client(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace normd

#endif  // NORMD_CLIENT_H_
