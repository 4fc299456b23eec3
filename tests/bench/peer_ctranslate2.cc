// SPDX-License-Identifier: Apache-2.0
//
// CTranslate2, out of its wheel. The wheel has no headers; the few functions called here are declared as its
// shared library exports them, and looked up by their mangled names.
#include <dlfcn.h>

#include "peer.h"

namespace normd::bench {
namespace {

using LayerNormFunction = void (*)(const float* x, const float* gamma, const float* beta, float* y,
                                   int64_t rows, int64_t hidden, float epsilon);
using RmsNormFunction = void (*)(const float* x, const float* gamma, float* y, int64_t rows, int64_t hidden,
                                 float epsilon, bool use_residual);
using AddFunction = void (*)(const float* a, const float* b, float* c, int64_t size);
using SetThreads = void (*)(size_t threads);

struct Instructions {
  const char* name;
  int number;  // of ctranslate2::cpu::CpuIsa
  const char* feature;
};
constexpr Instructions kInstructions[] = {{"avx512", 3, "avx512dq"}, {"avx2", 2, "avx2"}};

template <typename Function>
Function Find(void* library, const std::string& symbol) {
  void* const address = dlsym(library, symbol.c_str());
  if (address == nullptr) throw std::runtime_error("its library exports no " + symbol);
  return reinterpret_cast<Function>(address);
}

std::string Mangled(const char* name, const Instructions& instructions, const char* arguments) {
  return "_ZN11ctranslate23cpu" + std::string(name) + "ILNS0_6CpuIsaE" + std::to_string(instructions.number) +
         "EEEv" + arguments;
}

struct Functions {
  LayerNormFunction layer_norm;
  RmsNormFunction rms_norm;
  AddFunction add;
  SetThreads set_threads;
};

Functions FindFunctions(void* library, const Instructions& instructions) {
  return {Find<LayerNormFunction>(library, Mangled("10layer_norm", instructions, "PKfS4_S4_Pfllf")),
          Find<RmsNormFunction>(library, Mangled("8rms_norm", instructions, "PKfS4_Pfllfb")),
          reinterpret_cast<AddFunction>(
              dlsym(library, "_ZN11ctranslate210primitivesILNS_6DeviceE0EE3addIfEEvPKT_S6_PS4_l")),
          Find<SetThreads>(library, "_ZN11ctranslate215set_num_threadsEm")};
}

Call Prepare(const Functions& functions, const Cell& cell, const Buffers& buffers) {
  if (cell.type != Type::kFloat32) throw Unsupported("its CPU kernels take float32 alone");
  functions.set_threads(static_cast<size_t>(cell.threads));
  const float* const x = static_cast<const float*>(buffers.x);
  float* const y = static_cast<float*>(buffers.y);
  if (cell.kind == Kind::kRms) {
    return {[=, rms_norm = functions.rms_norm, gamma = buffers.gamma] {
      rms_norm(x, gamma, y, cell.rows, cell.hidden, kEpsilon, false);
    }};
  }
  if (cell.kind == Kind::kPlain) {
    return {[=, layer_norm = functions.layer_norm, gamma = buffers.gamma, beta = buffers.beta] {
      layer_norm(x, gamma, beta, y, cell.rows, cell.hidden, kEpsilon);
    }};
  }
  if (functions.add == nullptr) throw Unsupported("its library exports no add");
  return {[=] {
    float* const sum = static_cast<float*>(buffers.sum);
    functions.add(x, static_cast<const float*>(buffers.residual), sum, cell.values());
    functions.layer_norm(sum, buffers.gamma, buffers.beta, y, cell.rows, cell.hidden, kEpsilon);
  }};
}

}  // namespace
}  // namespace normd::bench

void normd_bench_peer(normd::bench::Contestants& contestants) {
  using namespace normd::bench;
  void* const library = dlopen(NORMD_BENCH_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  __builtin_cpu_init();
  for (const Instructions& instructions : kInstructions) {
    const bool runs_here =
        instructions.number == 3 ? __builtin_cpu_supports("avx512dq") : __builtin_cpu_supports("avx2");
    if (!runs_here) continue;
    const Functions functions = FindFunctions(library, instructions);
    contestants.push_back(
        {.name = "CTranslate2 " NORMD_BENCH_VERSION " " + std::string(instructions.name),
         .part = Part::kKernel,
         .what = "ctranslate2::cpu::layer_norm and rms_norm of its library, called directly",
         .prepare = [functions](const Cell& cell, const Buffers& buffers) {
           return Prepare(functions, cell, buffers);
         }});
  }
}
