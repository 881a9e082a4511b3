// The registry: every op of every family, found by name.
#pragma once

#include <span>
#include <string_view>

#include "ops/op.h"

namespace parallax {

// All ops, in the order of the family list (ops/families.h). Built on first use; its schemas are checked then.
std::span<const Op> all_ops();

// The op of that name ("aten.add.Tensor"), or null.
const Op* find_op(std::string_view name);

// The op of a name that must exist; a wrong one is a bug of ours.
const Op& op_named(std::string_view name);

}  // namespace parallax
