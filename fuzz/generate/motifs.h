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

// An earlier node's call once more, on the same tensors as they are by now. Nothing where there is no node.
std::optional<ProposedCall> repeat_call(Choices& choices, const Graph& graph);

// An earlier node's op with arguments of its own, on what that node made; views and copies more often than others.
// Nothing where that fits no such op.
std::optional<ProposedCall> stack_call(Choices& choices, const Graph& graph, const OperandLimits& limits);

// What brings an earlier node's result back to the dtype or the sizes of its operand. Nothing where no node has changed
// either.
std::optional<ProposedCall> lead_back(Choices& choices, const Graph& graph);

// A value beside what a pointwise call made of it: x - f(x), x * f(x), f(x) / x. Activations are written out so, and so
// is what is left of a number beside its approximation. Nothing where no node has made such a value.
std::optional<ProposedCall> meet_operand(Choices& choices, const Graph& graph);

// One of the above by its weight, in their order behind the weight of none (GenerateWeights::motifs).
std::optional<ProposedCall> motif_call(Choices& choices, std::span<const uint32_t> weights, const Graph& graph,
                                       const OperandLimits& limits);

}  // namespace parallax
