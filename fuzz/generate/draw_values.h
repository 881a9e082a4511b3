// Drawing the elements of a tensor: small numbers of which the oracle can say much.
#pragma once

#include <optional>

#include "core/choices.h"
#include "core/tensor.h"
#include "fuzz/generate/weights.h"

namespace parallax {

// What the elements of a tensor are read as.
struct ElementUse {
  std::optional<int64_t> places = std::nullopt;  // indices into that many
  bool near = false;                             // small integers, as the zero points of a quantizer are
  bool wraps = false;                            // integers by a call that wraps what is far from 0
  bool special = false;                          // floats that are asked whether they are infinite or NaN
  std::optional<int64_t> width = std::nullopt;   // by how much integers of that many bits are shifted
};

// A row-major tensor, its style drawn once and its elements one by one. No two indices are equal where there are enough
// places.
Tensor draw_tensor(Choices& choices, DType dtype, const Dims& sizes, const GenerateWeights& weights,
                   const ElementUse& use = {});

}  // namespace parallax
