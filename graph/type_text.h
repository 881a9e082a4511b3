// A tensor's type as the case file writes it: "f32[2,3]", "f32[]" for 0-d.
#pragma once

#include <functional>
#include <string_view>

#include "core/dims.h"
#include "core/dtype.h"
#include "core/result.h"

namespace parallax {

struct TensorType {
  DType dtype = DType::F32;
  Dims sizes;
  int64_t numel = 1;

  friend bool operator==(const TensorType&, const TensorType&) = default;
};

// Larger tensors are refused: a case is to be read, run and reduced, not to fill the machine.
inline constexpr int64_t max_tensor_elements = int64_t{1} << 28;

// The size that a name, or a text with one in it ("2*s+1"), stands for as the given dim of a type, or why there is
// none.
using NamedSize = std::function<Result<int64_t>(std::string_view name, int dim)>;

// The type of a text; `named` resolves sizes that are names, where it is not null. Refuses an unknown dtype, a rank
// over max_rank, and sizes whose product (zeros left out) is over max_tensor_elements. The inverse is type_text
// (core/tensor.h).
Result<TensorType> parse_type(std::string_view text, const NamedSize& named = nullptr);

}  // namespace parallax
