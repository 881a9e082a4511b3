// Altered calls: arguments that the ops' own samplers leave at their usual values, now and then set to another. A total
// is asked for a dtype, integers meet a fraction, a shift moves out all bits.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/choices.h"
#include "ops/op.h"

namespace parallax {

// The drawn arguments of a call with one of them altered, which may turn out not to infer. Mostly nothing.
std::optional<std::vector<Argument>> altered_arguments(Choices& choices, const Op& op,
                                                       const std::vector<Argument>& arguments,
                                                       std::span<const TensorMeta> metas);

}  // namespace parallax
