// Drawing the elements of a tensor: small numbers of which the oracle can say much.
#pragma once

#include <optional>

#include "core/choices.h"
#include "core/tensor.h"
#include "fuzz/generate/weights.h"

namespace parallax {

// A row-major tensor, its style drawn once and its elements one by one. With `index_bound` (integers) every element is
// an index into that many places, and no two are equal where there are enough places.
Tensor draw_tensor(Choices& choices, DType dtype, const Dims& sizes, const GenerateWeights& weights,
                   std::optional<int64_t> index_bound = std::nullopt);

}  // namespace parallax
