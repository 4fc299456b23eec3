// SPDX-License-Identifier: Apache-2.0
//
// PyTorch, its C++ library.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/native/layer_norm.h>
#include <torch/version.h>

#include "peer.h"

namespace normd::bench {
namespace {

at::ScalarType ScalarType(Type type) {
  switch (type) {
    case Type::kFloat32:
      return at::kFloat;
    case Type::kBfloat16:
      return at::kBFloat16;
    case Type::kFloat16:
      return at::kHalf;
  }
  return at::kFloat;
}

// The cell's memory as tensors.
struct Tensors {
  Tensors(const Cell& cell, const Buffers& buffers)
      : rows(cell.rows),
        hidden(cell.hidden),
        x(Rows(cell, buffers.x)),
        residual(Rows(cell, buffers.residual)),
        y(Rows(cell, buffers.y)),
        sum(Rows(cell, buffers.sum)),
        gamma(Make(buffers.gamma_in_type, {cell.hidden}, ScalarType(cell.type))),
        beta(Make(buffers.beta_in_type, {cell.hidden}, ScalarType(cell.type))),
        mean(Make(buffers.mean, {cell.rows, 1}, ScalarType(cell.type))),
        rstd(Make(buffers.rstd, {cell.rows, 1}, ScalarType(cell.type))) {}

  static at::Tensor Make(const void* data, at::IntArrayRef shape, at::ScalarType type) {
    return at::from_blob(const_cast<void*>(data), shape, at::TensorOptions().dtype(type));
  }
  static at::Tensor Rows(const Cell& cell, const void* data) {
    return data == nullptr ? at::Tensor() : Make(data, {cell.rows, cell.hidden}, ScalarType(cell.type));
  }

  int64_t rows;
  int64_t hidden;
  at::Tensor x, residual, y, sum, gamma, beta, mean, rstd;
};

// What at::native::LayerNormKernel chooses for this CPU; the function that chooses is not exported.
at::native::forward_fn Kernel() {
  using Stub = decltype(at::native::LayerNormKernel);
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (Stub::AVX512 != nullptr && __builtin_cpu_supports("avx512dq")) return Stub::AVX512;
  if (Stub::AVX2 != nullptr && __builtin_cpu_supports("avx2")) return Stub::AVX2;
#endif
  return Stub::DEFAULT;
}

Call PrepareKernel(const Cell& cell, const Buffers& buffers) {
  if (cell.kind == Kind::kRms) throw Unsupported("its rms_norm on the CPU is made of several operators");
  at::set_num_threads(cell.threads);
  const auto tensors = std::make_shared<Tensors>(cell, buffers);
  const bool with_sum = cell.kind == Kind::kResidual;
  return {[tensors, with_sum, kernel = Kernel()] {
    const c10::InferenceMode guard;
    Tensors& t = *tensors;
    if (with_sum) at::add_out(t.sum, t.x, t.residual);
    kernel(with_sum ? t.sum : t.x, t.gamma, t.beta, t.rows, t.hidden, static_cast<double>(kEpsilon), &t.y,
           &t.mean, &t.rstd);
  }};
}

// As models call it: the answer is a new tensor.
Call PrepareOperator(const Cell& cell, const Buffers& buffers) {
  at::set_num_threads(cell.threads);
  const auto tensors = std::make_shared<Tensors>(cell, buffers);
  switch (cell.kind) {
    case Kind::kPlain:
      return {[tensors] {
        const c10::InferenceMode guard;
        at::layer_norm(tensors->x, {tensors->hidden}, tensors->gamma, tensors->beta,
                       static_cast<double>(kEpsilon));
      }};
    case Kind::kResidual:
      return {[tensors] {
        const c10::InferenceMode guard;
        const at::Tensor sum = at::add(tensors->x, tensors->residual);
        at::layer_norm(sum, {tensors->hidden}, tensors->gamma, tensors->beta, static_cast<double>(kEpsilon));
      }};
    case Kind::kRms:
      return {[tensors] {
        const c10::InferenceMode guard;
        at::rms_norm(tensors->x, {tensors->hidden}, tensors->gamma, static_cast<double>(kEpsilon));
      }};
  }
  throw Unsupported("no such kind");
}

void AddAll(Contestants& contestants) {
  contestants.push_back({.name = "PyTorch " TORCH_VERSION,
                         .part = Part::kKernel,
                         .what = "at::native::LayerNormKernel, the function behind at::layer_norm",
                         .prepare = PrepareKernel});
  contestants.push_back({.name = "PyTorch " TORCH_VERSION,
                         .part = Part::kOperator,
                         .what = "at::layer_norm, which makes its answer anew in each call",
                         .prepare = PrepareOperator,
                         .answers_in_y = false});
}

}  // namespace
}  // namespace normd::bench

void normd_bench_peer(normd::bench::Contestants& contestants) { normd::bench::AddAll(contestants); }
