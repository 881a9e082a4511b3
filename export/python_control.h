// Branches and loops in PyTorch scripts: subgraphs as functions, and the calls that run them, as a person writes them.
#pragma once

#include <string>
#include <vector>

#include "export/python_module.h"
#include "graph/subgraphs.h"

namespace parallax {

// Whether a scan or a map of the graph, or of its subgraphs, writes an operand: PyTorch's may not. A branch and a
// while_loop may where no gradients are taken.
bool writes_in_slices(const Graph& graph);

// What the values of a subgraph are called in its function, by value.
std::vector<std::string> value_names(const Graph& graph);

// The lines of node n of a subgraph: its call, and its results by name. `values` says by value what an operand is
// called, and `library` is that of the custom operations (export/python_custom.h).
std::string node_lines(const Graph& graph, std::size_t n, const SubgraphNames& names, const PythonCall& call,
                       const std::vector<std::string>& values, std::string_view library, int indentation);

// A function for each subgraph, at that indentation. What shares memory with an operand or with another output is
// cloned, as PyTorch asks for.
std::string subgraph_functions(const SubgraphNames& names, const PythonCall& call, std::string_view library,
                               int indentation);

// "torch.cond(p, then, other, (x,))": an expression that gives the results as a list or a tuple. `values` says by value
// what an operand is called.
std::string control_call(const Node& node, const ControlOp& op, const SubgraphNames& names,
                         const std::vector<std::string>& values, std::string_view library);

}  // namespace parallax
