// Control structures: branches, loops and custom operations of drawn graphs. Their subgraphs are drawn as graphs are,
// on operands of the types that the caller has, and return what has the types that are wanted: results of calls, views,
// or operands.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/choices.h"
#include "fuzz/generate/pool.h"
#include "fuzz/generate/structures.h"
#include "graph/control_op.h"

namespace parallax {

// A graph that is being drawn.
struct DrawnBody {
  GraphBuilder builder;
  Pool pool;
};

// Draws calls over inputs of these types, with structures of these kinds; inputs that are not writable are only read.
using DrawBody = std::function<DrawnBody(const std::vector<TensorMeta>& inputs, const std::vector<bool>& writable,
                                         ControlKinds structures)>;
// Adds a call to the graph that the structure is drawn for: its first result, or an invalid value.
using CallOutside = std::function<ValueId(std::string_view op, std::vector<Argument> positional,
                                          std::vector<std::pair<std::string, Argument>> named)>;

struct ControlSite {
  Choices& choices;
  const GraphBuilder& builder;
  const Pool& pool;
  DrawBody draw_body;
  CallOutside call;
  StructureSite::AddSource source;  // an invalid value in a subgraph, or where the targets take none
  bool writes = true;               // operands may be written by branches and loops
  ControlKinds structures;          // that it may be one of
  bool takes_turns = false;         // set where a predicate was drawn that each call of the program finds changed
};

struct ProposedControl {
  std::shared_ptr<const ControlOp> op;
  std::vector<Argument> arguments;
  ValueId kept_in = {};  // where it is valid, a buffer that the first result is copied to
};

// A branch, a loop, a scan, a map or a custom operation on tensors that are there; nothing where none fits.
std::optional<ProposedControl> draw_control(ControlSite& site);

}  // namespace parallax
