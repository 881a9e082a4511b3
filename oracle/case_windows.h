// Case windows: parts of a case that are cases themselves. A few operations, with what the whole program holds given as
// their inputs, have a sharp bound where the whole program has none.
#pragma once

#include <optional>
#include <vector>

#include "graph/case.h"
#include "graph/sketch.h"

namespace parallax {

// Nodes [begin, end) of a graph.
struct Window {
  std::size_t begin = 0;
  std::size_t end = 0;

  friend bool operator==(const Window&, const Window&) = default;
};

// Windows of `width` nodes, each half over the one before it, that cover the graph. One that writes to memory begins no
// later than the node that makes that memory, so that aliases stay together, unless that would make it four times as
// wide.
std::vector<Window> windows_of(const Graph& graph, std::size_t width);

// Which nodes beside a window are in its part.
enum class Beside {
  Nothing,  // its own are alone
  Fusible,  // those that a compiler fuses with its own: what computes an operand from constants alone, and from buffers
            // that are never written, such as a weight; what dequantizes an operand; what quantizes a result
};

// The windows of a case as cases.
class CaseWindows {
 public:
  // The case must outlive the windows.
  CaseWindows(const Case& test, Beside beside);

  // What the window takes from before it is an input or, of the program's own, a source as it was; its outputs are what
  // is needed after it. `values` are what the program's values hold, by value id (oracle/record.h), or what a target
  // holds in their place. Nothing where the part is no valid case, or nothing is needed of it.
  std::optional<Case> at(const Window& window, const std::vector<Tensor>& values) const;

 private:
  void give(Sketch& part, ValueId value, const std::vector<Tensor>& values) const;
  // By node: whether it is in the part.
  std::vector<bool> nodes_of(const Window& window) const;
  // Whether a node from `begin` to before `end` writes the memory of a value.
  bool is_written(ValueId value, std::size_t begin, std::size_t end) const;
  // Whether a node takes or makes memory that any node writes.
  bool touches_written(const Node& node) const;

  const Case* test_;
  std::optional<Sketch> whole_;  // nothing of a case that has no windows: several runs, or gradients
  std::vector<std::optional<std::size_t>> source_of_;  // by value: its place among the sources
  std::vector<std::optional<std::size_t>> makers_;     // by value: the node that makes it
  std::vector<std::vector<std::size_t>> writers_;      // by storage: the nodes that write it
  std::vector<bool> of_constants_;                     // by value: whether it is computed from constants alone
  Beside beside_;
};

}  // namespace parallax
