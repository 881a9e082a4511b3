#include "ops/contraction.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "ops/dense_contraction.h"
#include "ops/elementwise.h"

namespace parallax {
namespace {

// The dims of a layout in the given order.
Layout arranged(const Layout& layout, std::initializer_list<int> dims) {
  Layout result{{}, {}, layout.offset};
  for (int dim : dims) {
    result.sizes.push_back(layout.sizes[dim]);
    result.strides.push_back(layout.strides[dim]);
  }
  return result;
}

Layout with_last_dims_swapped(Layout layout) {
  const int rank = layout.rank();
  std::swap(layout.sizes[rank - 1], layout.sizes[rank - 2]);
  std::swap(layout.strides[rank - 1], layout.strides[rank - 2]);
  return layout;
}

// Whether an implementation that scales a factor first stays away from overflow and from the subnormals.
bool scales_safely(const BallView& view, const Layout& layout, double alpha, const BallMath& math) {
  const double scale = std::fabs(alpha);
  if (scale == 0 || scale == 1 || !std::isfinite(scale)) return true;
  const DTypeInfo& format = info(math.dtype());
  bool safe = true;
  for_each_element(layout, [&](int64_t element) {
    const Ball& ball = view.ball(element);
    if (!is_plain(ball) || (ball.mid == 0 && ball.radius == 0)) return;
    safe = safe && scale * reach(ball) < format.max_finite && scale * std::fabs(ball.mid) >= format.smallest_normal;
  });
  return safe;
}

// beta * addend; where beta is 0 the addend is not read.
Ball scaled_addend(const BallMath& math, double beta, const Ball& addend) {
  if (beta == 0) return Ball::exact(0);
  return beta == 1 ? addend : math.mul(math.scalar(beta), addend);
}

void contract_balls(const ReferenceCall& call, ParameterRef left, ParameterRef right, const Contraction& contraction,
                    const Scaling& scaling) {
  const BallView& output = call.output();
  const BallMath math(output.dtype, call.profile());
  const BallView& left_view = call.input(left);
  const BallView& right_view = call.input(right);
  const double alpha = as_double(scaling.alpha);
  const double beta = as_double(scaling.beta);
  const std::vector<int64_t> elements = elements_of(output.layout);
  std::vector<int64_t> addends;
  if (scaling.addend) addends = elements_of(*broadcast_to(call.input(*scaling.addend).layout, contraction.sizes));
  const bool safe = scales_safely(left_view, contraction.left, alpha, math) &&
                    scales_safely(right_view, contraction.right, alpha, math);
  const std::optional<DenseContraction> dense = DenseContraction::of(contraction, left_view, right_view);
  std::vector<Factor> left_factors;
  std::vector<Factor> right_factors;
  if (!dense) {
    left_factors = factors_of(left_view, contraction.left);
    right_factors = factors_of(right_view, contraction.right);
  }
  std::size_t to = 0;
  for (int64_t batch = 0; batch < contraction.batches; ++batch) {
    for (int64_t row = 0; row < contraction.rows; ++row) {
      for (int64_t column = 0; column < contraction.columns; ++column, ++to) {
        BallDot dot(math);
        if (dense) {
          dot.add(dense->sums(batch, row, column));
        } else {
          const Factor* a = left_factors.data() + (batch * contraction.rows + row) * contraction.inner;
          const Factor* b = right_factors.data() + (batch * contraction.columns + column) * contraction.inner;
          for (int64_t k = 0; k < contraction.inner; ++k) dot.add(a[k], b[k]);
        }
        const Ball addend =
            addends.empty() ? Ball::exact(0) : scaled_addend(math, beta, call.input(*scaling.addend).ball(addends[to]));
        output.ball(elements[to]) =
            safe ? dot.result(alpha, addend, scaling.stored_parts) : Ball::unknown(Undecided::Unbounded);
      }
    }
  }
}

void contract_integers(const ReferenceCall& call, ParameterRef left, ParameterRef right, const Contraction& contraction,
                       const Scaling& scaling) {
  const BallView& output = call.output();
  const BallView& left_view = call.input(left);
  const BallView& right_view = call.input(right);
  const std::vector<int64_t> left_elements = elements_of(contraction.left);
  const std::vector<int64_t> right_elements = elements_of(contraction.right);
  const auto alpha = static_cast<uint64_t>(number_as(output.dtype, scaling.alpha));
  const auto beta = static_cast<uint64_t>(number_as(output.dtype, scaling.beta));
  const std::vector<int64_t> elements = elements_of(output.layout);
  std::vector<int64_t> addends;
  if (scaling.addend) addends = elements_of(*broadcast_to(call.input(*scaling.addend).layout, contraction.sizes));
  std::size_t to = 0;
  for (int64_t batch = 0; batch < contraction.batches; ++batch) {
    for (int64_t row = 0; row < contraction.rows; ++row) {
      const int64_t* a = left_elements.data() + (batch * contraction.rows + row) * contraction.inner;
      const int64_t* b = right_elements.data() + batch * contraction.columns * contraction.inner;
      for (int64_t column = 0; column < contraction.columns; ++column, b += contraction.inner, ++to) {
        uint64_t sum = 0;
        Undecided undecided = Undecided::No;
        for (int64_t k = 0; k < contraction.inner; ++k) {
          const IntegerBall& x = left_view.integer(a[k]);
          const IntegerBall& y = right_view.integer(b[k]);
          sum += static_cast<uint64_t>(x.value) * static_cast<uint64_t>(y.value);
          if (undecided == Undecided::No) undecided = first_undecided({x, y});
        }
        sum *= alpha;
        if (!addends.empty() && beta != 0) {
          const IntegerBall& addend = call.input(*scaling.addend).integer(addends[to]);
          sum += beta * static_cast<uint64_t>(addend.value);
          if (undecided == Undecided::No) undecided = addend.undecided;
        }
        output.integer(elements[to]) = {wrap_to(output.dtype, static_cast<int64_t>(sum)), undecided};
      }
    }
  }
}

}  // namespace

std::optional<Contraction> matrix_product(const Layout& left, const Layout& right) {
  if (left.rank() != 2 || right.rank() != 2 || left.sizes[1] != right.sizes[0]) return std::nullopt;
  const int64_t rows = left.sizes[0];
  const int64_t columns = right.sizes[1];
  return Contraction{left, arranged(right, {1, 0}), {rows, columns}, 1, rows, columns, left.sizes[1]};
}

std::optional<Contraction> batched_product(const Layout& left, const Layout& right) {
  if (left.rank() != 3 || right.rank() != 3) return std::nullopt;
  if (left.sizes[0] != right.sizes[0] || left.sizes[2] != right.sizes[1]) return std::nullopt;
  const int64_t batches = left.sizes[0];
  const int64_t rows = left.sizes[1];
  const int64_t columns = right.sizes[2];
  return Contraction{left, arranged(right, {0, 2, 1}), {batches, rows, columns}, batches, rows, columns, left.sizes[2]};
}

std::optional<Contraction> summed_product(const Layout& left, const Layout& right) {
  std::optional<Contraction> contraction = batched_product(left, right);
  if (!contraction) return std::nullopt;
  contraction->left = arranged(left, {1, 0, 2});
  contraction->right = arranged(right, {2, 0, 1});
  contraction->sizes = {contraction->rows, contraction->columns};
  contraction->inner *= contraction->batches;
  contraction->batches = 1;
  return contraction;
}

std::optional<Contraction> matrix_vector_product(const Layout& left, const Layout& right) {
  if (left.rank() != 2 || right.rank() != 1 || left.sizes[1] != right.sizes[0]) return std::nullopt;
  return Contraction{left, right, {left.sizes[0]}, 1, left.sizes[0], 1, left.sizes[1]};
}

std::optional<Contraction> vector_product(const Layout& left, const Layout& right) {
  if (left.rank() != 1 || right.rank() != 1 || left.sizes[0] != right.sizes[0]) return std::nullopt;
  return Contraction{left, right, {}, 1, 1, 1, left.sizes[0]};
}

std::optional<Contraction> broadcast_product(const Layout& left, const Layout& right) {
  if (left.rank() == 0 || right.rank() == 0) return std::nullopt;
  Layout a = left;
  Layout b = right;
  if (left.rank() == 1) a = {{1, left.sizes[0]}, {0, left.strides[0]}, left.offset};
  if (right.rank() == 1) b = {{1, right.sizes[0]}, {0, right.strides[0]}, right.offset};
  if (right.rank() > 1) b = with_last_dims_swapped(b);
  if (a.sizes.back() != b.sizes.back()) return std::nullopt;
  const auto batch_of = [](const Layout& layout) {
    return Dims(std::span(layout.sizes.begin(), layout.sizes.end() - 2));
  };
  const std::optional<Dims> batch = broadcast_sizes(batch_of(a), batch_of(b));
  if (!batch || !checked_numel(std::span(batch->begin(), batch->end()))) return std::nullopt;
  const int64_t rows = a.sizes[a.rank() - 2];
  const int64_t columns = b.sizes[b.rank() - 2];
  const int64_t inner = a.sizes.back();
  const auto broadcast = [&](const Layout& layout, int64_t free) {
    Dims sizes = *batch;
    sizes.push_back(free);
    sizes.push_back(inner);
    return *broadcast_to(layout, sizes);
  };
  Contraction contraction{broadcast(a, rows), broadcast(b, columns), *batch, 1, rows, columns, inner};
  for (int64_t size : *batch) contraction.batches *= size;
  if (left.rank() > 1) contraction.sizes.push_back(rows);
  if (right.rank() > 1) contraction.sizes.push_back(columns);
  return contraction;
}

std::optional<Contraction> linear_product(const Layout& left, const Layout& right) {
  if (left.rank() == 0 || right.rank() == 0 || right.rank() > 2) return std::nullopt;
  if (left.sizes.back() != right.sizes.back()) return std::nullopt;
  Contraction contraction{left, right, left.sizes, 1, 1, 1, left.sizes.back()};
  contraction.sizes.erase(contraction.sizes.size() - 1);
  for (int64_t size : contraction.sizes) contraction.rows *= size;
  if (right.rank() == 2) {
    contraction.columns = right.sizes[0];
    contraction.sizes.push_back(contraction.columns);
  }
  return contraction;
}

std::unexpected<Error> refuse_product(const Call& call, const Layout& left, const Layout& right) {
  return refuse("{}: tensors of shape [{}] and [{}] cannot be multiplied", call.op().name, to_string(left.sizes),
                to_string(right.sizes));
}

void contract(const ReferenceCall& call, ParameterRef left, ParameterRef right, const Contraction& contraction,
              const Scaling& scaling) {
  if (call.output().floating()) {
    contract_balls(call, left, right, contraction, scaling);
  } else {
    contract_integers(call, left, right, contraction, scaling);
  }
}

}  // namespace parallax
