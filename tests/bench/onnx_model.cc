// SPDX-License-Identifier: Apache-2.0
#include "onnx_model.h"

#include <cstring>
#include <vector>

namespace normd::bench {
namespace {

// Protobuf's wire format, as much of it as ONNX needs here. The field numbers are those of onnx.proto.
std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
std::string Number(int field, int64_t value) {
  return Varint(static_cast<uint64_t>(field) << 3) + Varint(static_cast<uint64_t>(value));
}
std::string Bytes(int field, const std::string& bytes) {
  return Varint(static_cast<uint64_t>(field) << 3 | 2) + Varint(bytes.size()) + bytes;
}
std::string Float(int field, float value) {
  std::string bytes(sizeof(value), '\0');
  std::memcpy(bytes.data(), &value, sizeof(value));
  return Varint(static_cast<uint64_t>(field) << 3 | 5) + bytes;
}

std::string Rows(const std::string& name, const Cell& cell) {  // ValueInfoProto
  std::string shape;
  for (const int64_t dimension : {cell.rows, cell.hidden}) shape += Bytes(1, Number(1, dimension));
  return Bytes(1, name) + Bytes(2, Bytes(1, Number(1, OnnxElementType(cell.type)) + Bytes(2, shape)));
}

std::string Parameter(const std::string& name, const Cell& cell, const void* values) {  // TensorProto
  const std::string raw(static_cast<const char*>(values),
                        static_cast<size_t>(cell.hidden * BytesOf(cell.type)));
  return Number(1, cell.hidden) + Number(2, OnnxElementType(cell.type)) + Bytes(8, name) + Bytes(9, raw);
}

struct Node {
  const char* operation;
  const char* domain;
  std::vector<const char*> inputs;
  std::vector<const char*> outputs;
};

Node NodeOf(Kind kind) {
  switch (kind) {
    case Kind::kPlain:
      return {"LayerNormalization", "", {"x", "gamma", "beta"}, {"y"}};
    case Kind::kResidual:
      return {"SkipLayerNormalization",
              "com.microsoft",
              {"x", "residual", "gamma", "beta"},
              {"y", "", "", "sum"}};
    case Kind::kRms:
      return {"SimplifiedLayerNormalization", "", {"x", "gamma"}, {"y"}};
  }
  throw Unsupported("no such kind");
}

std::string NodeBytes(Kind kind) {  // NodeProto
  const Node node = NodeOf(kind);
  std::string bytes;
  for (const char* input : node.inputs) bytes += Bytes(1, input);
  for (const char* output : node.outputs) bytes += Bytes(2, output);
  bytes += Bytes(4, node.operation) + Bytes(7, node.domain);
  return bytes + Bytes(5, Bytes(1, "epsilon") + Float(2, kEpsilon) + Number(20, 1));
}

}  // namespace

int OnnxElementType(Type type) { return type == Type::kFloat32 ? 1 : type == Type::kFloat16 ? 10 : 16; }

std::string OnnxModel(const Cell& cell, const Buffers& buffers) {
  std::string graph = Bytes(1, NodeBytes(cell.kind)) + Bytes(2, "norm");
  graph += Bytes(5, Parameter("gamma", cell, buffers.gamma_in_type));
  if (cell.kind != Kind::kRms) graph += Bytes(5, Parameter("beta", cell, buffers.beta_in_type));
  graph += Bytes(11, Rows("x", cell)) + Bytes(12, Rows("y", cell));
  if (cell.kind == Kind::kResidual) graph += Bytes(11, Rows("residual", cell)) + Bytes(12, Rows("sum", cell));
  const std::string opsets =
      Bytes(8, Bytes(1, "") + Number(2, 17)) + Bytes(8, Bytes(1, "com.microsoft") + Number(2, 1));
  return Number(1, 8) + Bytes(7, graph) + opsets;
}

}  // namespace normd::bench
