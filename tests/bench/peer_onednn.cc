// SPDX-License-Identifier: Apache-2.0
//
// oneDNN. Its 2.x and 3.x describe a layer normalization differently; this file is compiled once for each
// that CMake finds.
#include <dlfcn.h>

#include <dnnl.hpp>
#include <unordered_map>

#include "peer.h"

namespace normd::bench {
namespace {

using Arguments = std::unordered_map<int, dnnl::memory>;

const dnnl::engine& Engine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

dnnl::memory::data_type DataType(Type type) {
  switch (type) {
    case Type::kFloat32:
      return dnnl::memory::data_type::f32;
    case Type::kBfloat16:
      return dnnl::memory::data_type::bf16;
    case Type::kFloat16:
      return dnnl::memory::data_type::f16;
  }
  return dnnl::memory::data_type::undef;
}

dnnl::memory::desc Rows(const Cell& cell) {
  return {{cell.rows, cell.hidden}, DataType(cell.type), dnnl::memory::format_tag::ab};
}

dnnl::memory::desc Parameter(const Cell& cell) {
  return {{cell.hidden}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::a};
}

dnnl::primitive LayerNorm(const Cell& cell) {
  using dnnl::normalization_flags;
  const auto flags = normalization_flags::use_scale | normalization_flags::use_shift;
  constexpr auto kInference = dnnl::prop_kind::forward_inference;
#if DNNL_VERSION_MAJOR >= 3
  return dnnl::layer_normalization_forward({Engine(), kInference, Rows(cell), Rows(cell), kEpsilon, flags});
#else
  return dnnl::layer_normalization_forward({{kInference, Rows(cell), kEpsilon, flags}, Engine()});
#endif
}

dnnl::primitive RmsNorm([[maybe_unused]] const Cell& cell) {
#ifdef NORMD_BENCH_ONEDNN_RMS
  using dnnl::normalization_flags;
  return dnnl::layer_normalization_forward({Engine(), dnnl::prop_kind::forward_inference, Rows(cell),
                                            Rows(cell), kEpsilon,
                                            normalization_flags::use_scale | normalization_flags::rms_norm});
#else
  throw Unsupported("this version has no rms_norm");
#endif
}

dnnl::primitive Sum(const Cell& cell) {
  constexpr auto kAdd = dnnl::algorithm::binary_add;
#if DNNL_VERSION_MAJOR >= 3
  return dnnl::binary({Engine(), kAdd, Rows(cell), Rows(cell), Rows(cell)});
#else
  return dnnl::binary({{kAdd, Rows(cell), Rows(cell), Rows(cell)}, Engine()});
#endif
}

dnnl::memory Memory(const dnnl::memory::desc& description, const void* data) {
  return {description, Engine(), const_cast<void*>(data)};
}

Arguments NormArguments(const Cell& cell, const Buffers& buffers) {
  const void* const x = cell.kind == Kind::kResidual ? buffers.sum : buffers.x;
  Arguments arguments{{DNNL_ARG_SRC, Memory(Rows(cell), x)},
                      {DNNL_ARG_DST, Memory(Rows(cell), buffers.y)},
                      {DNNL_ARG_SCALE, Memory(Parameter(cell), buffers.gamma)}};
  if (cell.kind != Kind::kRms) arguments.insert({DNNL_ARG_SHIFT, Memory(Parameter(cell), buffers.beta)});
  return arguments;
}

Arguments SumArguments(const Cell& cell, const Buffers& buffers) {
  return {{DNNL_ARG_SRC_0, Memory(Rows(cell), buffers.x)},
          {DNNL_ARG_SRC_1, Memory(Rows(cell), buffers.residual)},
          {DNNL_ARG_DST, Memory(Rows(cell), buffers.sum)}};
}

// What is executed, and with what, in order.
struct Step {
  dnnl::primitive primitive;
  std::function<Arguments()> make_arguments;
};

std::vector<Step> Steps(const Cell& cell, const Buffers& buffers) {
  std::vector<Step> steps;
  if (cell.kind == Kind::kResidual) {
    steps.push_back({Sum(cell), [cell, buffers] { return SumArguments(cell, buffers); }});
  }
  steps.push_back({cell.kind == Kind::kRms ? RmsNorm(cell) : LayerNorm(cell),
                   [cell, buffers] { return NormArguments(cell, buffers); }});
  return steps;
}

// omp_set_num_threads of the runtime that this library is bound to.
void SetThreads(int threads) {
  if (auto* const set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads")))
    set(threads);
}

std::vector<Step> StepsOrUnsupported(const Cell& cell, const Buffers& buffers) {
  try {
    return Steps(cell, buffers);
  } catch (const dnnl::error& error) {
    throw Unsupported(error.what());
  }
}

// With the C interface's array of arguments made beforehand, as far as that goes.
Call PrepareKernel(const Cell& cell, const Buffers& buffers) {
  SetThreads(cell.threads);
  struct Prebuilt {
    dnnl::primitive primitive;
    Arguments memories;
    std::vector<dnnl_exec_arg_t> arguments;
  };
  auto prebuilt = std::make_shared<std::vector<Prebuilt>>();
  for (Step& step : StepsOrUnsupported(cell, buffers)) {
    prebuilt->push_back({step.primitive, step.make_arguments(), {}});
    for (const auto& [index, memory] : prebuilt->back().memories) {
      prebuilt->back().arguments.push_back({index, memory.get()});
    }
  }
  auto stream = std::make_shared<dnnl::stream>(Engine());
  return {[prebuilt, stream] {
    for (const Prebuilt& step : *prebuilt) {
      dnnl_primitive_execute(step.primitive.get(), stream->get(), static_cast<int>(step.arguments.size()),
                             step.arguments.data());
    }
    dnnl_stream_wait(stream->get());
  }};
}

Call PrepareOperator(const Cell& cell, const Buffers& buffers) {
  SetThreads(cell.threads);
  auto steps = std::make_shared<std::vector<Step>>(StepsOrUnsupported(cell, buffers));
  auto stream = std::make_shared<dnnl::stream>(Engine());
  return {[steps, stream] {
    for (Step& step : *steps) step.primitive.execute(*stream, step.make_arguments());
    stream->wait();
  }};
}

void AddAll(Contestants& contestants) {
  const dnnl_version_t& version = *dnnl_version();
  const std::string name = "oneDNN " + std::to_string(version.major) + "." + std::to_string(version.minor) +
                           "." + std::to_string(version.patch);
  Engine();
  contestants.push_back({.name = name,
                         .part = Part::kKernel,
                         .what = "dnnl_primitive_execute with memory objects and arguments made beforehand",
                         .prepare = PrepareKernel});
  contestants.push_back({.name = name,
                         .part = Part::kOperator,
                         .what = "the primitive made beforehand; the memory objects made in each call",
                         .prepare = PrepareOperator});
}

}  // namespace
}  // namespace normd::bench

void normd_bench_peer(normd::bench::Contestants& contestants) { normd::bench::AddAll(contestants); }
