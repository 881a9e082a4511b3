// Moves: what ops that only put elements elsewhere are made of, for every backend alike.
//
// A move takes the elements of one layout over a tensor's storage, row-major, to those of another over the result's
// storage, row-major too, converting them to its dtype. The two have as many elements, and as a rule the same sizes.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "backends/portable/elements.h"
#include "ops/op.h"

namespace parallax {

struct Move {
  ValueId from;
  Layout source;
  Layout target;
};

struct MoveList {
  // The result's storage begins as a copy of the first operand's, what lies between the elements included.
  bool clones_gaps = false;
  std::vector<Move> moves;  // in order: a later one may go over an earlier one
};

// The names of the ops whose calls are moves, at least as a rule.
std::span<const std::string_view> ops_made_of_moves();

// The moves of a call whose result has this layout. Nothing where the call has no such form: roll over all dims of what
// is not one block, and as_strided_scatter into what is laid out otherwise than its operand.
std::optional<MoveList> moves_of(const Call& call, const Layout& result);

// Whether the elements of a move lie where they are to be put: the operand of a concatenation that was made in place.
bool is_in_place(const portable::TensorRef& from, const portable::TensorRef& to);

}  // namespace parallax
