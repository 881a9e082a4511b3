// The product of matrices as wide_product_kernel.cpp compiles it, once for each set of instructions
// (ops/CMakeLists.txt).
#pragma once

#include "ops/products/wide_product.h"

namespace parallax {

using ProductKernel = void (*)(const ProductShape& shape, const double* left, const double* right, double* to,
                               bool adds);

namespace products_base {
void multiply(const ProductShape& shape, const double* left, const double* right, double* to, bool adds);
}
namespace products_avx2 {
void multiply(const ProductShape& shape, const double* left, const double* right, double* to, bool adds);
}
namespace products_avx512 {
void multiply(const ProductShape& shape, const double* left, const double* right, double* to, bool adds);
}

}  // namespace parallax
