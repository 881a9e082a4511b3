// Compiled once for each set of instructions, with PARALLAX_PRODUCTS naming the namespace.
//
// Eigen's own namespace is another one in each: the linker keeps one copy of an inline function, and would take that of
// the widest instructions for all.
#ifndef PARALLAX_PRODUCTS
#define PARALLAX_PRODUCTS products_base
#endif
#define PARALLAX_JOINED(a, b) a##_##b
#define PARALLAX_EIGEN_OF(products) PARALLAX_JOINED(Eigen, products)
#define Eigen PARALLAX_EIGEN_OF(PARALLAX_PRODUCTS)

#include <Eigen/Core>

#include "ops/products/wide_product_kernels.h"

namespace parallax::PARALLAX_PRODUCTS {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Given = Eigen::Map<const Matrix>;

template <class Left, class Right>
void put(Eigen::Map<Matrix> to, const Left& left, const Right& right, bool adds) {
  if (adds) {
    to.noalias() += left * right;
  } else {
    to.noalias() = left * right;
  }
}

}  // namespace

void multiply(const ProductShape& shape, const double* left, const double* right, double* to, bool adds) {
  const Given a(left, shape.rows, shape.inner);
  const Eigen::Map<Matrix> result(to, shape.rows, shape.columns);
  if (shape.right_transposed) {
    put(result, a, Given(right, shape.columns, shape.inner).transpose(), adds);
  } else {
    put(result, a, Given(right, shape.inner, shape.columns), adds);
  }
}

}  // namespace parallax::PARALLAX_PRODUCTS
