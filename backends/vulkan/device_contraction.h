// Contraction: sums of elements or of products of two, which reductions and products of matrices are.
#pragma once

#include "backends/vulkan/device_kernel.h"

namespace parallax::vulkan {

// As in shaders/reduction.glsl.
enum class Reduction : uint32_t { Sum, Product, Largest, Smallest, Mean, PlaceOfLargest, PlaceOfSmallest };

// A tensor with the steps that it makes along the outer dims, which are the result's, and along the inner ones, which
// are reduced.
struct Contracted {
  TensorRef tensor;
  int64_t offset = 0;
  Dims outer, inner;
};

struct Contraction {
  Reduction function = Reduction::Sum;
  DType dtype = DType::F32;  // to compute in
  Dims outer, inner;         // sizes
  Contracted a;
  std::optional<Contracted> b;       // then products are reduced
  std::optional<Contracted> addend;  // alpha * the sum + beta * this
  Scalar alpha = int64_t{1}, beta = int64_t{1};
  Contracted result;
};

// The operand's dims split into those that stay and those that go, which the call's parameter `dim` names; all go where
// it names none. `input` stands for the call's first operand.
Contraction reduction_of(const KernelCall& call, Reduction function, const TensorRef& input, const TensorRef& output);

// Writes it down; nothing where the result has no elements.
void record_contraction(const KernelCall& call, Contraction contraction);

}  // namespace parallax::vulkan
