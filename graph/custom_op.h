// Custom operations: what a subgraph that is the reference of one may be, and what a call of it gives.
#pragma once

#include <string>
#include <vector>

#include "graph/control_op.h"

namespace parallax {

// An operation does something, runs no branch or loop, and returns operands, views of them or whole memory of its own,
// each once.
Result<void> check_custom_op(const ControlParts& parts);

// The results as the operation hands them out: its operands, views of them, or memory of their own. An error where its
// calls do not take operands that lie in each other's memory.
Result<std::vector<ResultMeta>> infer_custom_op(const ControlOp& op, const Call& call);

// Whether a result that lies in an operand's memory is that tensor object itself. Every write hands its operand on, but
// a custom operation may write to one operand and hand out a view of another.
bool is_same_object(const Op& op, const ResultMeta& result);

// What torch.library is told of the operation: "(Tensor(a!) x, Tensor y) -> (Tensor(a!), Tensor?)". Operands are called
// as the subgraph calls them; those that are written or handed on have a letter each, in order.
std::string library_schema(const Subgraph& reference);

}  // namespace parallax
