// SPDX-License-Identifier: Apache-2.0
//
// ONNX models of one norm, written as bytes.

#ifndef NORMD_TESTS_BENCH_ONNX_MODEL_H_
#define NORMD_TESTS_BENCH_ONNX_MODEL_H_

#include <string>

#include "contestant.h"

namespace normd::bench {

// TensorProto.DataType of ONNX.
int OnnxElementType(Type type);

// A serialized ModelProto whose one node takes x (and residual) to y (and sum): LayerNormalization, or the
// SkipLayerNormalization and SimplifiedLayerNormalization that ONNX Runtime adds; gamma and beta are inside.
std::string OnnxModel(const Cell& cell, const Buffers& buffers);

}  // namespace normd::bench

#endif  // NORMD_TESTS_BENCH_ONNX_MODEL_H_
