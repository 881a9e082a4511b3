#include "ops/plain/product_in_double.h"

#include "ops/plain/elements_in_double.h"
#include "ops/products/wide_product.h"

namespace parallax {

std::vector<double> PlainProduct::operator()(const std::vector<double>& left, const std::vector<double>& right) const {
  std::vector<double> result(static_cast<std::size_t>(batches * rows * columns));
  if (result.empty() || inner == 0) return result;
  for (int64_t batch = 0; batch < batches; ++batch) {
    multiply({rows, columns, inner}, left.data() + batch * rows * inner, right.data() + batch * columns * inner,
             result.data() + batch * rows * columns);
  }
  return result;
}

bool contract_plainly(const ReferenceCall& call, ParameterRef left, ParameterRef right, const Contraction& contraction,
                      const Scaling& scaling) {
  const auto a = plain_elements(call.input(left), contraction.left);
  const auto b = plain_elements(call.input(right), contraction.right);
  if (!a || !b) return false;
  std::optional<std::vector<double>> added;
  if (scaling.addend) {
    const BallView& addend = call.input(*scaling.addend);
    added = plain_elements(addend, *broadcast_to(addend.layout, contraction.sizes));
    if (!added) return false;
  }
  const PlainProduct product{contraction.batches, contraction.rows, contraction.columns, contraction.inner};
  std::vector<double> result = product(*a, *b);
  const double alpha = as_double(scaling.alpha);
  const double beta = as_double(scaling.beta);
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] *= alpha;
    // A beta of 0 leaves the addend out, whatever it is.
    if (added && beta != 0) result[i] += beta * (*added)[i];
  }
  store_plain(result, call.output());
  return true;
}

}  // namespace parallax
