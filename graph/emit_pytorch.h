// A case as a PyTorch script: a module whose forward calls the same ATen overloads, its inputs, and what eager prints.
#pragma once

#include <string>
#include <string_view>

#include "graph/case.h"

namespace parallax {

// `comment` is put on top, each of its lines behind "# ". The script needs only torch; buffers are registered ones and
// constants plain attributes, so that torch.export(Bug(…), inputs) sees what the case means.
std::string emit_pytorch(const Case& test, std::string_view comment = "");

}  // namespace parallax
