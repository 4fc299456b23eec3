// SPDX-License-Identifier: Apache-2.0
//
// CTranslate2, out of its wheel, which has no headers: what is called here is declared as its shared library
// exports it, and a version that exports something else does not load.
#include "peer.h"

namespace ctranslate2 {

using dim_t = int64_t;

void set_num_threads(size_t threads);

enum class Device { kCpu, kCuda };

// Its members are its own affair; there is more room here than it needs.
class StorageView {
 public:
  template <typename T>
  StorageView(std::vector<dim_t> shape, T* data, Device device);
  StorageView(const StorageView&) = delete;
  StorageView& operator=(const StorageView&) = delete;
  ~StorageView();

 private:
  char members_[1024];
};

template <Device device>
struct primitives {  // NOLINT(readability-identifier-naming): its name, as all names of this namespace
  template <typename T>
  static void add(const T* a, const T* b, T* c, dim_t size);
};

namespace cpu {

enum class CpuIsa { kGeneric, kAvx, kAvx2, kAvx512 };

template <CpuIsa isa>
void layer_norm(const float* x, const float* gamma, const float* beta, float* y, dim_t rows, dim_t hidden,
                float epsilon);
template <CpuIsa isa>
void rms_norm(const float* x, const float* gamma, float* y, dim_t rows, dim_t hidden, float epsilon,
              bool use_residual);

}  // namespace cpu
namespace ops {

class LayerNorm {
 public:
  LayerNorm(dim_t axis, float epsilon);
  void operator()(const StorageView& beta, const StorageView& gamma, const StorageView& x,
                  StorageView& y) const;

 private:
  char members_[1024];
};

class RMSNorm {
 public:
  RMSNorm(float epsilon, bool use_residual);
  void operator()(const StorageView& gamma, const StorageView& x, StorageView& y) const;

 private:
  char members_[1024];
};

}  // namespace ops
}  // namespace ctranslate2

namespace normd::bench {
namespace {

using ctranslate2::StorageView;
using ctranslate2::cpu::CpuIsa;

constexpr ctranslate2::Device kCpu = ctranslate2::Device::kCpu;

struct Floats {
  Floats(const Cell& cell, const Buffers& buffers)
      : values(cell.values()),
        x(static_cast<const float*>(buffers.x)),
        residual(static_cast<const float*>(buffers.residual)),
        y(static_cast<float*>(buffers.y)),
        sum(static_cast<float*>(buffers.sum)) {
    if (cell.type != Type::kFloat32) throw Unsupported("its CPU kernels take float32 alone");
    ctranslate2::set_num_threads(static_cast<size_t>(cell.threads));
  }

  void Add() const { ctranslate2::primitives<kCpu>::add<float>(x, residual, sum, values); }

  int64_t values;
  const float* x;
  const float* residual;
  float* y;
  float* sum;
};

template <CpuIsa isa>
Call PrepareKernel(const Cell& cell, const Buffers& buffers) {
  const Floats floats(cell, buffers);
  const float* const gamma = buffers.gamma;
  const float* const beta = buffers.beta;
  const auto layer_norm = [=](const float* x) {
    ctranslate2::cpu::layer_norm<isa>(x, gamma, beta, floats.y, cell.rows, cell.hidden, kEpsilon);
  };
  switch (cell.kind) {
    case Kind::kPlain:
      return {[=] { layer_norm(floats.x); }};
    case Kind::kResidual:
      return {[=] {
        floats.Add();
        layer_norm(floats.sum);
      }};
    case Kind::kRms:
      return {[=] {
        ctranslate2::cpu::rms_norm<isa>(floats.x, gamma, floats.y, cell.rows, cell.hidden, kEpsilon, false);
      }};
  }
  throw Unsupported("no such kind");
}

// The operands as its operators take them.
struct Views {
  Views(const Cell& cell, const Buffers& buffers, const Floats& floats)
      : x({cell.rows, cell.hidden}, const_cast<float*>(cell.kind == Kind::kResidual ? floats.sum : floats.x),
          kCpu),
        gamma({cell.hidden}, const_cast<float*>(buffers.gamma), kCpu),
        beta({cell.hidden}, const_cast<float*>(buffers.beta), kCpu),
        y({cell.rows, cell.hidden}, floats.y, kCpu) {}

  StorageView x, gamma, beta, y;
};

Call PrepareOperator(const Cell& cell, const Buffers& buffers) {
  const Floats floats(cell, buffers);
  const auto views = std::make_shared<Views>(cell, buffers, floats);
  if (cell.kind == Kind::kRms) {
    const auto norm = std::make_shared<ctranslate2::ops::RMSNorm>(kEpsilon, false);
    return {[=] { (*norm)(views->gamma, views->x, views->y); }};
  }
  const auto norm = std::make_shared<ctranslate2::ops::LayerNorm>(-1, kEpsilon);
  const bool with_sum = cell.kind == Kind::kResidual;
  return {[=] {
    if (with_sum) floats.Add();
    (*norm)(views->beta, views->gamma, views->x, views->y);
  }};
}

const std::string kName = "CTranslate2 " NORMD_BENCH_VERSION;

template <CpuIsa isa>
void AddKernel(Contestants& contestants, const char* target) {
  contestants.push_back({.name = kName + " " + target,
                         .part = Part::kKernel,
                         .what = "its functions for one instruction set, called directly",
                         .prepare = PrepareKernel<isa>});
}

void AddAll(Contestants& contestants) {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512dq")) AddKernel<CpuIsa::kAvx512>(contestants, "avx512");
  if (__builtin_cpu_supports("avx2")) AddKernel<CpuIsa::kAvx2>(contestants, "avx2");
  contestants.push_back({.name = kName,
                         .part = Part::kOperator,
                         .what = "ctranslate2::ops::LayerNorm and RMSNorm, operands made beforehand",
                         .prepare = PrepareOperator});
}

}  // namespace
}  // namespace normd::bench

void normd_bench_peer(normd::bench::Contestants& contestants) { normd::bench::AddAll(contestants); }
