// Motifs: calls that are drawn with a look at a node that is there already.
//
// Calls drawn on their own seldom say the same thing twice, or undo what the one before did. Graphs that people and
// exporters write do both: a value is computed again where it is needed, layers stack reshapes, slices and casts, and
// what was cast or reshaped for one op is brought back after it. Passes that merge, compose and cancel calls have
// something to do only there.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/choices.h"
#include "fuzz/generate/pool.h"

namespace parallax {

// A call that may turn out not to infer.
struct ProposedCall {
  const Op* op = nullptr;
  std::vector<Argument> arguments;
};

// One motif by its weight (GenerateWeights::motifs), in this order behind the weight of none: an earlier call once
// more, an earlier op on its own result, the way back from a result to its operand, and a result beside its operand.
// Nothing where none is drawn, or no node fits it.
std::optional<ProposedCall> motif_call(Choices& choices, std::span<const uint32_t> weights, const Graph& graph,
                                       const OperandLimits& limits);

}  // namespace parallax
