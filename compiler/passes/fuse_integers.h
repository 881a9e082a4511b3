// Fusion of quantized calls: what stands between dequantizes and a quantize becomes one call on integers.
#pragma once

#include "graph/graph.h"
#include "ops/fused_op.h"

namespace parallax {

// A fused call that is being put together.
struct FusedCall {
  std::vector<FusedPart> parts;
  std::vector<std::vector<Argument>> arguments;  // by part; None where it reads a part

  // Of a parameter that the part's op has.
  Argument& argument(std::size_t part, ParameterRef parameter) {
    return arguments[part][static_cast<std::size_t>(parts[part].op->schema.index_of(parameter))];
  }
};

// How calls are fused. A planted fault takes other rules.
struct IntegerFusion {
  // Changes a call that is right.
  void (*edit)(FusedCall& call, std::span<const TensorMeta> metas) = nullptr;
};

// compiler/passes/fuse_integers.cpp
Result<Graph> fuse_integers_with(const Graph& graph, const IntegerFusion& fusion);

// How many calls read what a dequantize made: as many could be fused.
int fusable_calls(const Graph& graph);
// How many fused calls the graph holds.
int fused_calls(const Graph& graph);

}  // namespace parallax
