// Custom operations as runtimes for language models have them: a write into a cache of keys or values, attention over
// caches, and both in one. Their references are written as one form each, which an adapter can tell from others: that
// of ExecuTorch runs its own kernels for them (adapters/executorch/llm_operations.py).
#pragma once

#include <optional>
#include <vector>

#include "fuzz/generate/control_structures.h"

namespace parallax {

struct AttentionOperation {
  Subgraph reference;
  std::vector<ValueId> operands;  // of the graph that the operation is called in
};

// An operation on caches and tensors that are there or new. Nothing where the program can get none, as in a subgraph.
std::optional<AttentionOperation> draw_attention_operation(ControlSite& site);

}  // namespace parallax
