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

// The windows of a case as cases.
class CaseWindows {
 public:
  // The case must outlive the windows.
  explicit CaseWindows(const Case& test);

  // What the window takes from before it is an input or, of the program's own, a source as it was; its outputs are what
  // is needed after it. `values` are what the program's values hold, by value id (oracle/record.h), or what a target
  // holds in their place. Nothing where the part is no valid case, or nothing is needed of it.
  std::optional<Case> at(const Window& window, const std::vector<Tensor>& values) const;

 private:
  void give(Sketch& part, ValueId value, const std::vector<Tensor>& values) const;

  const Case* test_;
  std::optional<Sketch> whole_;  // nothing of a case that has no windows: several runs, or gradients
  std::vector<std::optional<std::size_t>> source_of_;  // by value: its place among the sources
};

}  // namespace parallax
