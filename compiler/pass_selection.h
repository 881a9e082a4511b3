// Pass selection: which of the compiler's passes run, for a person who looks for the one that is wrong.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/passes.h"

namespace parallax {

struct PassSelection {
  std::vector<std::string> passes;  // these, in this order; none: all
  std::string stop_after;           // none after this one; empty: to the end

  // Those of `all` that are selected; an unknown name is an error.
  Result<std::vector<Pass>> from(std::span<const Pass> all) const;
};

// "functionalize,simplify" as names.
std::vector<std::string> split_names(std::string_view list);

}  // namespace parallax
