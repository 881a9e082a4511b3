// Which arguments of a call are said, and how: what every textual form of a node (JSON, text, PyTorch, dot) starts
// from.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace parallax {

// The parameters that a call must name; the others equal the schema's default.
struct WrittenArguments {
  int positional = 0;      // so many leading ones go by position
  std::vector<int> named;  // keyword-only ones, by parameter index
};
// Those of `said` are written whatever they are.
WrittenArguments written_arguments(const Node& node, std::span<const std::size_t> said = {});

// By value: whether a node or the caller reads it. The others of a list's elements need no name.
std::vector<bool> used_values(const Graph& graph);

// How one language spells what an argument may be.
struct Spelling {
  std::function<std::string(ValueId)> value;
  std::function<std::string(double)> real;
  std::function<std::string(DType)> dtype;
  std::function<std::string(MemoryFormat)> memory_format;
  std::string_view yes, no, none;
  // What is said for a number of an argument, by their places, where it is another text than the number.
  std::function<std::string(std::size_t argument, std::size_t place)> number = {};
  std::vector<std::size_t> said = {};  // arguments with such a number
};
// "[a, b]", "0.5", "true": an argument in a language.
std::string spell(const Argument& argument, const Spelling& spelling);
// "x, [0], dtype=f32": the arguments of a call in a language.
std::string spell_arguments(const Node& node, const Spelling& spelling);

}  // namespace parallax
