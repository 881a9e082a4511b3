// How a source lies in memory, and the data of a source whose layout may overlap itself.
#pragma once

#include "core/layout.h"
#include "graph/tensor_json.h"

namespace parallax {

// "strides" (contiguous where left out) and "offset" (0) of a source's entry, each in [0, max_tensor_elements].
Result<Layout> read_layout(const Field& entry, const Dims& sizes);

// Like read_tensor, for data that goes into memory under `layout`: where two logical indices reach one element, their
// data must agree.
Result<Tensor> read_placed_tensor(const Field& data, const TensorType& type, const Layout& layout);

}  // namespace parallax
