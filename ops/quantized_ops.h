// Quantized ops: which ops lead from floats to quantized numbers, and which lead back.
#pragma once

#include "ops/op.h"

namespace parallax {

// By numbers or tensors, for the whole tensor, each channel, token or group.
inline bool quantizes(const Op& op) { return op.name.starts_with("quantized_decomposed.quantize_per_"); }
inline bool dequantizes(const Op& op) { return op.name.starts_with("quantized_decomposed.dequantize_per_"); }

// With one scale and one zero point for the whole tensor.
inline bool quantizes_by_tensor(const Op& op) {
  return op.name == "quantized_decomposed.quantize_per_tensor.default" ||
         op.name == "quantized_decomposed.quantize_per_tensor.tensor";
}

}  // namespace parallax
