// Products of matrices in memory, for the kernels that come down to them.
#pragma once

#include <cstdint>

namespace parallax::portable {

struct ProductSizes {
  int64_t rows, inner, columns;
};

// to = a b, all row-major without gaps. Sums are carried in the type itself; integers wrap.
void multiply_matrices(const ProductSizes& sizes, const float* a, const float* b, float* to);
void multiply_matrices(const ProductSizes& sizes, const double* a, const double* b, double* to);
void multiply_matrices(const ProductSizes& sizes, const int64_t* a, const int64_t* b, int64_t* to);

}  // namespace parallax::portable
