// Which arguments of a call are said, and how: what every textual form of a node (JSON, text, PyTorch, dot) starts
// from.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace parallax {

// The parameters that a call must name; the others equal the schema's default.
struct WrittenArguments {
  int positional = 0;      // so many leading ones go by position
  std::vector<int> named;  // keyword-only ones, by parameter index
};
WrittenArguments written_arguments(const Node& node);

// By value: whether a node or the caller reads it. The others of a list's elements need no name.
std::vector<bool> used_values(const Graph& graph);

// How one language spells what an argument may be.
struct Spelling {
  std::function<std::string(ValueId)> value;
  std::function<std::string(double)> real;
  std::function<std::string(DType)> dtype;
  std::function<std::string(MemoryFormat)> memory_format;
  std::string_view yes, no, none;
};
// "[a, b]", "0.5", "true": an argument in a language.
std::string spell(const Argument& argument, const Spelling& spelling);
// "x, [0], dtype=f32": the arguments of a call in a language.
std::string spell_arguments(const Node& node, const Spelling& spelling);

}  // namespace parallax
