// Custom operations in PyTorch scripts: each registered through torch.library, as a person does it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graph/subgraphs.h"

namespace parallax {

// The library of the operations that a class calls: "bug" of "Bug". Two classes may each have an operation of one name.
std::string custom_library(std::string_view class_name);

// The library with a function and a registration for each operation; empty where there is none.
std::string custom_operations(const SubgraphNames& names, std::string_view library);

// "torch.ops.bug.step(x, y)": an expression that gives the results as a list or a tuple.
std::string custom_call(const Node& node, const ControlOp& op, const SubgraphNames& names,
                        const std::vector<std::string>& values, std::string_view library);

}  // namespace parallax
