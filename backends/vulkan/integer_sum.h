// IntegerSum: sums of products of stored integers, which quantized products of matrices and convolutions are.
#pragma once

#include <optional>
#include <vector>

#include "backends/vulkan/device_kernel.h"

namespace parallax::vulkan {

// A zero point or a scale: a number for all elements, or a tensor with its steps along the outer dims and the groups.
struct IntegerParameter {
  std::optional<double> number = 0.0;
  std::byte* storage = nullptr;
  DType dtype = DType::F64;
  Layout layout;
  Dims outer;
  int64_t group = 0;
};

// One of the two tensors of integers.
struct IntegerFactor {
  TensorRef tensor;
  int64_t shift = 0;  // of its first element, in elements: where a window begins in the padding
  Dims outer, inner;
  int64_t group = 0;
  IntegerParameter zero_point, scale;
};

// An outer and an inner dim that name a place of x together, which may lie outside.
struct WindowedDim {
  int64_t outer = 0;
  int64_t inner = 0;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t padding = 0;
  int64_t size = 0;  // of x
};

// For each place of the outer dims, which are the result's, the sum over groups of sums over the inner dims.
struct IntegerSum {
  Dims outer, inner;  // sizes
  int64_t groups = 1;
  IntegerFactor x, w;
  std::optional<TensorRef> bias;  // of floats
  Dims bias_outer;
  std::vector<WindowedDim> windows;
  TensorRef result;
  Dims result_outer;
};

// Writes it down; there are results and something to sum.
void record_integer_sum(const KernelCall& call, const IntegerSum& sum);

}  // namespace parallax::vulkan
