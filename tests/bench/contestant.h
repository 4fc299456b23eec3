// SPDX-License-Identifier: Apache-2.0
//
// What the benchmark of the kernels measures: ours, memcpy and the peers, behind one small interface.
//
// Each peer is a shared object of its own, peer_NAME.so, that is loaded with its symbols kept to itself:
// several of them carry an OpenMP runtime or a copy of the same library.

#ifndef NORMD_TESTS_BENCH_CONTESTANT_H_
#define NORMD_TESTS_BENCH_CONTESTANT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace normd::bench {

enum class Kind {
  kPlain,
  kResidual,
  kRms
};  // layer_norm(x), layer_norm(x + residual) with the sum, rms_norm(x)
enum class Type { kFloat32, kBfloat16, kFloat16 };

inline constexpr float kEpsilon = 1e-5f;

constexpr int64_t BytesOf(Type type) { return type == Type::kFloat32 ? 4 : 2; }

struct Cell {
  int64_t rows = 1;
  int64_t hidden = 1;
  Type type = Type::kFloat32;
  Kind kind = Kind::kPlain;
  int threads = 1;

  int64_t values() const { return rows * hidden; }
  int64_t bytes() const { return values() * BytesOf(type); }
};

// The memory of a cell. Every contestant reads and writes the same.
struct Buffers {
  const void* x = nullptr;  // [rows, hidden] of the cell's type, as residual, y and sum
  const void* residual = nullptr;
  const float* gamma = nullptr;  // [hidden]
  const float* beta = nullptr;
  const void* gamma_in_type = nullptr;  // the same values in the cell's type, for those that want them so
  const void* beta_in_type = nullptr;
  void* y = nullptr;
  void* sum = nullptr;    // x + residual
  float* mean = nullptr;  // [rows], room for those that must write statistics
  float* rstd = nullptr;  // [rows]
};

// One contestant, ready to run one cell.
struct Call {
  std::function<void()> run;
  // What of a call is not the work itself, where that can be called alone: its time is taken off.
  std::function<void()> overhead = nullptr;
};

// Thrown by prepare where a contestant has no such operation: its field stays empty, with this as the reason.
class Unsupported : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Part {
  kOurs,
  kFloor,     // memcpy
  kKernel,    // a peer's bare function
  kEstimate,  // what its operator takes, less its overhead: too rough for the best of the kernels
  kOperator,  // what people call
};

struct Contestant {
  std::string name;  // "oneDNN 2.6.3"
  Part part = Part::kKernel;
  std::string what;  // what is called, for the notes: "dnnl_primitive_execute with prebuilt memory objects"
  std::function<Call(const Cell&, const Buffers&)> prepare;
  bool answers_in_y = true;
  std::string why_not = {};  // where it is not to be had at all
};

using Contestants = std::vector<Contestant>;

// What each peer_NAME.so exports. Adds its contestants, or throws what is wrong.
inline constexpr char kPeerSymbol[] = "normd_bench_peer";
using AddPeer = void (*)(Contestants&);

}  // namespace normd::bench

#endif  // NORMD_TESTS_BENCH_CONTESTANT_H_
