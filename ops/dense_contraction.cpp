#include "ops/dense_contraction.h"

#include <algorithm>
#include <utility>

#include "ops/ball_sum.h"
#include "ops/products/wide_product.h"

namespace parallax {

std::optional<DenseContraction> DenseContraction::of(const Contraction& contraction, const BallView& left,
                                                     const BallView& right) {
  if (contraction.inner < 8 || contraction.rows * contraction.columns * contraction.inner < 512) return std::nullopt;
  const auto factors = [](const BallView& view, const Layout& layout) {
    std::vector<const Ball*> balls;
    balls.reserve(static_cast<std::size_t>(layout.numel()));
    for_each_element(layout, [&](int64_t element) { balls.push_back(&view.ball(element)); });
    return balls;
  };
  return of({contraction.batches, contraction.rows, contraction.columns, contraction.inner,
             factors(left, contraction.left), factors(right, contraction.right)});
}

std::optional<DenseContraction> DenseContraction::of(const Lanes& lanes) {
  std::optional<Operand> left = operand(lanes.left, lanes.inner);
  if (!left) return std::nullopt;
  std::optional<Operand> right = operand(lanes.right, lanes.inner);
  if (!right) return std::nullopt;
  return DenseContraction(lanes, std::move(*left), std::move(*right));
}

std::optional<DenseContraction::Operand> DenseContraction::operand(const std::vector<const Ball*>& factors,
                                                                   int64_t inner) {
  if (!std::ranges::all_of(factors, [](const Ball* ball) { return is_plain(*ball); })) return std::nullopt;
  const auto lanes = static_cast<int64_t>(factors.size()) / inner;
  Operand result;
  result.mid.resize(lanes, inner);
  result.lanes.resize(static_cast<std::size_t>(lanes));
  for (std::size_t at = 0; at < factors.size(); ++at) {
    const Ball& ball = *factors[at];
    Lane& lane = result.lanes[at / static_cast<std::size_t>(inner)];
    result.mid.data()[at] = ball.mid;
    lane.inexact = lane.inexact || ball.radius != 0;
    if (ball.mid != 0) {
      lane.lowest = std::min(lane.lowest, lowest_bit(ball.mid));
    } else {
      result.zeros = result.zeros || ball.radius == 0;
    }
  }
  result.inexact = std::ranges::any_of(result.lanes, &Lane::inexact);
  if (!result.inexact) return result;
  result.radius.resize(lanes, inner);
  result.deviation.resize(lanes, inner);
  for (std::size_t at = 0; at < factors.size(); ++at) {
    result.radius.data()[at] = factors[at]->radius;
    result.deviation.data()[at] = factors[at]->spread();
  }
  return result;
}

DenseContraction::DenseContraction(const Lanes& lanes, Operand left, Operand right)
    : rows_(lanes.rows),
      columns_(lanes.columns),
      inner_(lanes.inner),
      left_lanes_(std::move(left.lanes)),
      right_lanes_(std::move(right.lanes)) {
  for (Matrix* sums : {&mid_, &magnitude_, &squares_, &products_, &spread_, &variance_}) {
    sums->resize(lanes.batches * rows_, columns_);
  }
  for (int64_t batch = 0; batch < lanes.batches; ++batch) add_batch(left, right, batch);
}

void DenseContraction::add_batch(const Operand& left, const Operand& right, int64_t batch) {
  const auto of_left = [&](const Matrix& matrix) { return matrix.middleRows(batch * rows_, rows_); };
  const auto of_right = [&](const Matrix& matrix) { return matrix.middleRows(batch * columns_, columns_); };
  const auto part = [&](Matrix& sums) { return sums.middleRows(batch * rows_, rows_); };
  // Of the lanes of this batch; adds to the sums where those are set already.
  const auto products = [&](Matrix& sums, const auto& of_left_lanes, const auto& of_right_lanes, bool adds = false) {
    multiply({rows_, columns_, inner_}, of_left_lanes.data(), of_right_lanes.data(), part(sums).data(), adds);
  };
  const Matrix a = of_left(left.mid).cwiseAbs();
  const Matrix b = of_right(right.mid).cwiseAbs();
  const Matrix a_squares = a.cwiseAbs2();
  const Matrix b_squares = b.cwiseAbs2();
  products(mid_, of_left(left.mid), of_right(right.mid));
  products(magnitude_, a, b);
  products(squares_, a_squares, b_squares);
  if (left.zeros || right.zeros) {
    // An uncertain 0 is a product like any other.
    const auto present = [](const Matrix& mids, const Operand& operand, int64_t first) -> Matrix {
      if (!operand.inexact) return (mids.array() != 0).cast<double>();
      return (mids.array() != 0 || operand.radius.middleRows(first, mids.rows()).array() != 0).cast<double>();
    };
    products(products_, present(a, left, batch * rows_), present(b, right, batch * columns_));
  } else {
    part(products_).setConstant(static_cast<double>(inner_));
  }
  // |a| rb + ra (|b| + rb), and likewise for the squares of the deviations.
  part(spread_).setZero();
  part(variance_).setZero();
  if (right.inexact) {
    const Matrix variance = of_right(right.deviation).cwiseAbs2();
    products(spread_, a, of_right(right.radius), true);
    products(variance_, a_squares, variance, true);
  }
  if (left.inexact) {
    const Matrix variance = of_left(left.deviation).cwiseAbs2();
    const Matrix reach = right.inexact ? Matrix(b + of_right(right.radius)) : b;
    const Matrix deviated = right.inexact ? Matrix((b + of_right(right.deviation)).cwiseAbs2()) : b_squares;
    products(spread_, of_left(left.radius), reach, true);
    products(variance_, variance, deviated, true);
  }
}

BallDot::Sums DenseContraction::sums(int64_t batch, int64_t row, int64_t column) const {
  const int64_t at = batch * rows_ + row;
  const Lane& left = left_lanes_[static_cast<std::size_t>(at)];
  const Lane& right = right_lanes_[static_cast<std::size_t>(batch * columns_ + column)];
  return {mid_(at, column),      magnitude_(at, column), squares_(at, column),       spread_(at, column),
          variance_(at, column), products_(at, column),  left.lowest + right.lowest, left.inexact || right.inexact};
}

}  // namespace parallax
