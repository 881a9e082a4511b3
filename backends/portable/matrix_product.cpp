#include "backends/portable/matrix_product.h"

#include <Eigen/Core>
#include <algorithm>

namespace parallax::portable {
namespace {

template <class C>
using Matrix = Eigen::Matrix<C, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class C>
void multiply(const ProductSizes& sizes, const C* a, const C* b, C* to) {
  const auto [rows, inner, columns] = sizes;
  Eigen::Map<Matrix<C>>(to, rows, columns).noalias() =
      Eigen::Map<const Matrix<C>>(a, rows, inner) * Eigen::Map<const Matrix<C>>(b, inner, columns);
}

}  // namespace

void multiply_matrices(const ProductSizes& sizes, const float* a, const float* b, float* to) {
  multiply(sizes, a, b, to);
}

void multiply_matrices(const ProductSizes& sizes, const double* a, const double* b, double* to) {
  multiply(sizes, a, b, to);
}

// By rows that are added up. Unsigned, since signed types of the language do not promise to wrap.
void multiply_matrices(const ProductSizes& sizes, const int64_t* a, const int64_t* b, int64_t* to) {
  const auto [rows, inner, columns] = sizes;
  std::fill_n(to, rows * columns, 0);
  for (int64_t row = 0; row < rows; ++row) {
    int64_t* sums = to + row * columns;
    for (int64_t k = 0; k < inner; ++k) {
      const auto factor = static_cast<uint64_t>(a[row * inner + k]);
      const int64_t* others = b + k * columns;
      for (int64_t j = 0; j < columns; ++j) {
        sums[j] = static_cast<int64_t>(static_cast<uint64_t>(sums[j]) + factor * static_cast<uint64_t>(others[j]));
      }
    }
  }
}

}  // namespace parallax::portable
