#include "ops/products/wide_product.h"

#include "ops/products/wide_product_kernels.h"

namespace parallax {
namespace {

ProductKernel widest_kernel() {
#ifdef PARALLAX_WIDE_PRODUCTS
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return products_avx512::multiply;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return products_avx2::multiply;
#endif
  return products_base::multiply;
}

}  // namespace

void multiply(const ProductShape& shape, const double* left, const double* right, double* to, bool adds) {
  static const ProductKernel kernel = widest_kernel();
  kernel(shape, left, right, to, adds);
}

}  // namespace parallax
