// SPDX-License-Identifier: Apache-2.0
//
// ONNX Runtime, through the C interface of the shared library in its wheel, which has no header. That
// interface is a table of functions in an order that never changes; the few used here are numbered and typed
// below.
#include <dlfcn.h>

#include <array>

#include "onnx_model.h"
#include "peer.h"

namespace normd::bench {
namespace {

struct OrtStatus;
struct OrtEnv;
struct OrtSession;
struct OrtOptions;
struct OrtMemory;
struct OrtValue;
struct OrtBinding;

struct OrtApiBase {
  void* const* (*get_api)(uint32_t version);
  const char* (*get_version)();
};

// Places in the table; all of them are in version 5 of the interface.
enum Place : uint8_t {
  kGetErrorMessage = 2,
  kCreateEnv = 3,
  kCreateSessionFromArray = 8,
  kCreateSessionOptions = 10,
  kSetIntraOpNumThreads = 24,
  kCreateTensorWithData = 49,
  kCreateCpuMemoryInfo = 69,
  kReleaseStatus = 93,
  kReleaseSession = 95,
  kReleaseValue = 96,
  kReleaseSessionOptions = 100,
  kRunWithBinding = 133,
  kCreateIoBinding = 134,
  kReleaseIoBinding = 135,
  kBindInput = 136,
  kBindOutput = 137,
};
constexpr uint32_t kVersion = 5;

class Api {
 public:
  explicit Api(const OrtApiBase& base) : table_(base.get_api(kVersion)) {
    if (table_ == nullptr) throw std::runtime_error("it no longer offers version 5 of its interface");
    Call(kCreateEnv, 3, "normd", &env_);  // 3: errors only
    Call(kCreateCpuMemoryInfo, 1, 0, &memory_);
  }

  template <typename... Arguments>
  OrtStatus* Try(Place place, Arguments... arguments) const {
    return reinterpret_cast<OrtStatus* (*)(Arguments...)>(table_[place])(arguments...);
  }

  template <typename... Arguments>
  void Call(Place place, Arguments... arguments) const {
    OrtStatus* const status = Try(place, arguments...);
    if (status == nullptr) return;
    const std::string message =
        reinterpret_cast<const char* (*)(OrtStatus*)>(table_[kGetErrorMessage])(status);
    Release(kReleaseStatus, status);
    throw Unsupported(message.substr(0, message.find('\n')));
  }

  template <typename Object>
  void Release(Place place, Object* object) const {
    reinterpret_cast<void (*)(Object*)>(table_[place])(object);
  }

  OrtEnv* env() const { return env_; }
  OrtMemory* memory() const { return memory_; }

 private:
  void* const* table_;
  OrtEnv* env_ = nullptr;
  OrtMemory* memory_ = nullptr;
};

// One session of one node, its operands bound to the cell's memory.
class Session {
 public:
  Session(const Api& api, const Cell& cell, const Buffers& buffers) : api_(api), cell_(cell) {
    const std::string model = OnnxModel(cell, buffers);
    OrtOptions* options = nullptr;
    api_.Call(kCreateSessionOptions, &options);
    api_.Call(kSetIntraOpNumThreads, options, cell.threads);
    api_.Call(kCreateSessionFromArray, api_.env(), model.data(), model.size(), options, &session_);
    api_.Release(kReleaseSessionOptions, options);
    api_.Call(kCreateIoBinding, session_, &binding_);
    Bind(kBindInput, "x", buffers.x);
    Bind(kBindOutput, "y", buffers.y);
    if (cell.kind != Kind::kResidual) return;
    Bind(kBindInput, "residual", buffers.residual);
    Bind(kBindOutput, "sum", buffers.sum);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    if (binding_ != nullptr) api_.Release(kReleaseIoBinding, binding_);
    for (OrtValue* value : values_) api_.Release(kReleaseValue, value);
    if (session_ != nullptr) api_.Release(kReleaseSession, session_);
  }

  void Run() const { api_.Call(kRunWithBinding, session_, static_cast<void*>(nullptr), binding_); }

 private:
  void Bind(Place bind, const char* name, const void* data) {
    const std::array<int64_t, 2> shape{cell_.rows, cell_.hidden};
    OrtValue* value = nullptr;
    api_.Call(kCreateTensorWithData, api_.memory(), const_cast<void*>(data),
              static_cast<size_t>(cell_.bytes()), shape.data(), shape.size(), OnnxElementType(cell_.type),
              &value);
    values_.push_back(value);
    api_.Call(bind, binding_, name, value);
  }

  const Api& api_;
  Cell cell_;
  OrtSession* session_ = nullptr;
  OrtBinding* binding_ = nullptr;
  std::vector<OrtValue*> values_;
};

void AddAll(Contestants& contestants) {
  void* const library = dlopen(NORMD_BENCH_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  const auto get_base = reinterpret_cast<const OrtApiBase* (*)()>(dlsym(library, "OrtGetApiBase"));
  if (get_base == nullptr) throw std::runtime_error("its library exports no OrtGetApiBase");
  static const Api api(*get_base());
  const std::string name = "ONNX Runtime " + std::string(get_base()->get_version());
  const auto run = [](const Cell& cell, const Buffers& buffers) {
    auto session = std::make_shared<Session>(api, cell, buffers);
    return Call{[session] { session->Run(); }};
  };
  contestants.push_back({.name = name,
                         .part = Part::kOperator,
                         .what = "RunWithBinding of a model of one node, operands bound beforehand",
                         .prepare = run});
  contestants.push_back({.name = name + "-1x1",
                         .part = Part::kEstimate,
                         .what = "the same, less its time for one row of one value",
                         .prepare = [run](const Cell& cell, const Buffers& buffers) {
                           const Cell smallest{1, 1, cell.type, cell.kind, cell.threads};
                           return Call{run(cell, buffers).run, run(smallest, buffers).run};
                         }});
}

}  // namespace
}  // namespace normd::bench

void normd_bench_peer(normd::bench::Contestants& contestants) { normd::bench::AddAll(contestants); }
