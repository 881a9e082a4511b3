// Products of matrices of doubles, by the widest vector instructions that the machine has.
#pragma once

#include <cstdint>

namespace parallax {

// A product's shape: rows x inner by inner x columns, all matrices dense and row-major. Of the right one the transpose
// may be given, columns x inner.
struct ProductShape {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t inner = 0;
  bool right_transposed = true;
};

// Writes left * right to `to`, which overlaps neither; adds it to what is there where `adds`. Sums are in no defined
// order, fused or not.
void multiply(const ProductShape& shape, const double* left, const double* right, double* to, bool adds = false);

}  // namespace parallax
