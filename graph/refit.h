// Refit: another extent of the sources, and how that shows in the arguments that spell sizes out.
#pragma once

#include "graph/sketch.h"

namespace parallax {

// An argument with its integers passed through `edit`.
template <class Edit>
Argument edit_integers(Argument argument, Edit edit) {
  if (auto* list = std::get_if<IntList>(&argument)) {
    for (int64_t& n : *list) n = edit(n);
  } else if (auto* scalar = std::get_if<Scalar>(&argument)) {
    if (auto* n = std::get_if<int64_t>(scalar)) *n = edit(*n);
  }
  return argument;
}

// The arguments to try for a node where an extent becomes another one: replaced where they name it, as they are, with
// ends moved inside, and shapes refitted to the operand's elements. `before` and `sketch` must outlive it.
ArgumentChoices resize_choices(const Graph& before, const Sketch& sketch, int64_t from, int64_t to);

}  // namespace parallax
