// Control flow: how the interpreter runs a branch, a loop, a scan or a map.
//
// A subgraph is run on copies of its operands, and what it writes is copied back: operands that are written share
// memory with no other (graph/control_op.h). Where a predicate is undecided, both ways are gone and the result is the
// hull of what they give: of both branches, or of a loop that stops and of one that goes on.
#pragma once

#include "graph/control_op.h"
#include "oracle/interpreter.h"

namespace parallax {

// Runs one such node over the views of all values. `may_raise` is set where eager raises or not by data that is
// undecided. An error is what eager raises, or that a loop takes more steps than it may.
Result<void> run_control(const ControlOp& op, const Node& node, std::span<const BallView> views, const Profile& profile,
                         const Interpreter::InnerObserver& inner, bool& may_raise);

}  // namespace parallax
