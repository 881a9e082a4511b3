// Contraction: a product of matrices, vectors or batches of either as sums over one index.
#pragma once

#include <optional>

#include "ops/ball_dot.h"
#include "ops/op.h"

namespace parallax {

// result[b][i][j] = sum over k of left[b][i][k] * right[b][j][k]. The layouts list their operand's elements in that
// order; how many dims make up b, i, j and k does not matter.
struct Contraction {
  Layout left;
  Layout right;
  Dims sizes;  // of the result
  int64_t batches = 1;
  int64_t rows = 1;
  int64_t columns = 1;
  int64_t inner = 1;
};

// The contraction of two shapes, or nothing where eager refuses them. Most pairs that the generator asks about do not
// fit, so that the words are left to refuse_product.
using ContractionFn = std::optional<Contraction> (*)(const Layout& left, const Layout& right);
std::optional<Contraction> matrix_product(const Layout& left, const Layout& right);
std::optional<Contraction> batched_product(const Layout& left, const Layout& right);
// The products of all batches, added up.
std::optional<Contraction> summed_product(const Layout& left, const Layout& right);
std::optional<Contraction> matrix_vector_product(const Layout& left, const Layout& right);
std::optional<Contraction> vector_product(const Layout& left, const Layout& right);
// torch.matmul: vectors, matrices and batches that broadcast.
std::optional<Contraction> broadcast_product(const Layout& left, const Layout& right);
// torch.linear: rows of any batch by the rows of a weight.
std::optional<Contraction> linear_product(const Layout& left, const Layout& right);

// What is said of a call with two shapes that have no contraction.
std::unexpected<Error> refuse_product(const Call& call, const Layout& left, const Layout& right);

// alpha * contraction + beta * addend.
struct Scaling {
  Scalar alpha = int64_t{1};
  Scalar beta = int64_t{1};
  std::optional<ParameterRef> addend;  // what is added, broadcast to the result
  int64_t stored_parts = 0;            // see BallDot::result
};

// Fills the output with the contraction of parameters `left` and `right`.
void contract(const ReferenceCall& call, ParameterRef left, ParameterRef right, const Contraction& contraction,
              const Scaling& scaling);

}  // namespace parallax
