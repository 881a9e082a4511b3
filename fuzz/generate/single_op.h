// Single op: calls and cases of one op at one dtype, for what is said op by op (coverage, conformance).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/builder.h"
#include "graph/case.h"

namespace parallax {

// A case of one call on the inputs that the builder has: its results are returned, and its data is drawn. Nothing where
// the call does not infer.
std::optional<Case> case_of_call(GraphBuilder& builder, const Op& op, std::vector<Argument> arguments, Choices choices);

// Tensors of one dtype in the shapes that families ask for, and what indexes, masks and scales them. Calls are drawn
// over them.
class SingleOpPool {
 public:
  // The one of this dtype, made once.
  static const SingleOpPool& of(DType dtype);

  const Graph& graph() const { return builder_.graph(); }
  // The arguments of a call, the same for the same stream on every machine; nothing where none fit.
  std::optional<std::vector<Argument>> draw(const Op& op, uint64_t stream) const;
  // The same, drawn from a tape.
  std::optional<std::vector<Argument>> draw(const Op& op, Choices& choices) const;
  // A case of such a call that infers, with data drawn: its tensors are inputs, its results are returned. Nothing where
  // the first tensor of the call has another dtype than the pool's.
  std::optional<Case> draw_case(const Op& op, uint64_t stream) const;

 private:
  explicit SingleOpPool(DType dtype);

  DType dtype_;
  GraphBuilder builder_;
  std::vector<Candidate> candidates_;
};

}  // namespace parallax
