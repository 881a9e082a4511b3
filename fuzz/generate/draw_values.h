// Drawing the elements of a tensor: small numbers of which the oracle can say much.
#pragma once

#include <optional>

#include "core/choices.h"
#include "core/tensor.h"
#include "fuzz/generate/weights.h"

namespace parallax {

// What the integers of a tensor may be.
struct IntegerBounds {
  std::optional<int64_t> places = std::nullopt;  // indices into that many
  bool near = false;                             // small, as the zero points of a quantizer are
};

// A row-major tensor, its style drawn once and its elements one by one. No two indices are equal where there are enough
// places.
Tensor draw_tensor(Choices& choices, DType dtype, const Dims& sizes, const GenerateWeights& weights,
                   const IntegerBounds& bounds = {});

}  // namespace parallax
