#include "ops/dense_contraction.h"

#include <algorithm>
#include <utility>

#include "ops/ball_sum.h"

namespace parallax {

std::optional<DenseContraction> DenseContraction::of(const Contraction& contraction, const BallView& left,
                                                     const BallView& right) {
  if (contraction.inner < 8 || contraction.rows * contraction.columns * contraction.inner < 512) return std::nullopt;
  std::optional<Operand> a = operand(left, contraction.left, contraction.batches * contraction.rows, contraction.inner);
  if (!a) return std::nullopt;
  std::optional<Operand> b =
      operand(right, contraction.right, contraction.batches * contraction.columns, contraction.inner);
  if (!b) return std::nullopt;
  return DenseContraction(contraction, std::move(*a), std::move(*b));
}

std::optional<DenseContraction::Operand> DenseContraction::operand(const BallView& view, const Layout& layout,
                                                                   int64_t lanes, int64_t inner) {
  Operand result;
  result.mid.resize(lanes, inner);
  result.lanes.resize(static_cast<std::size_t>(lanes));
  bool plain = true;
  double* mid = result.mid.data();
  int64_t at = 0;
  for_each_element(layout, [&](int64_t element) {
    const Ball& ball = view.ball(element);
    Lane& lane = result.lanes[static_cast<std::size_t>(at / inner)];
    plain = plain && is_plain(ball);
    mid[at++] = ball.mid;
    lane.inexact = lane.inexact || ball.radius != 0;
    if (ball.mid != 0) {
      lane.lowest = std::min(lane.lowest, lowest_bit(ball.mid));
    } else {
      result.zeros = result.zeros || ball.radius == 0;
    }
  });
  if (!plain) return std::nullopt;
  result.inexact = std::ranges::any_of(result.lanes, &Lane::inexact);
  if (!result.inexact) return result;
  result.radius.resize(lanes, inner);
  result.deviation.resize(lanes, inner);
  at = 0;
  for_each_element(layout, [&](int64_t element) {
    result.radius.data()[at] = view.ball(element).radius;
    result.deviation.data()[at++] = view.ball(element).spread();
  });
  return result;
}

DenseContraction::DenseContraction(const Contraction& contraction, Operand left, Operand right)
    : rows_(contraction.rows),
      columns_(contraction.columns),
      inner_(contraction.inner),
      left_lanes_(std::move(left.lanes)),
      right_lanes_(std::move(right.lanes)) {
  for (Matrix* sums : {&mid_, &magnitude_, &squares_, &products_, &spread_, &variance_}) {
    sums->resize(contraction.batches * rows_, columns_);
  }
  for (int64_t batch = 0; batch < contraction.batches; ++batch) add_batch(left, right, batch);
}

void DenseContraction::add_batch(const Operand& left, const Operand& right, int64_t batch) {
  const auto of_left = [&](const Matrix& matrix) { return matrix.middleRows(batch * rows_, rows_); };
  const auto of_right = [&](const Matrix& matrix) { return matrix.middleRows(batch * columns_, columns_); };
  const auto part = [&](Matrix& sums) { return sums.middleRows(batch * rows_, rows_); };
  const Matrix a = of_left(left.mid).cwiseAbs();
  const Matrix b = of_right(right.mid).cwiseAbs();
  const Matrix a_squares = a.cwiseAbs2();
  const Matrix b_squares = b.cwiseAbs2();
  part(mid_).noalias() = of_left(left.mid) * of_right(right.mid).transpose();
  part(magnitude_).noalias() = a * b.transpose();
  part(squares_).noalias() = a_squares * b_squares.transpose();
  if (left.zeros || right.zeros) {
    // An uncertain 0 is a product like any other.
    const auto present = [](const Matrix& mids, const Operand& operand, int64_t first) -> Matrix {
      if (!operand.inexact) return (mids.array() != 0).cast<double>();
      return (mids.array() != 0 || operand.radius.middleRows(first, mids.rows()).array() != 0).cast<double>();
    };
    part(products_).noalias() = present(a, left, batch * rows_) * present(b, right, batch * columns_).transpose();
  } else {
    part(products_).setConstant(static_cast<double>(inner_));
  }
  // |a| rb + ra (|b| + rb), and likewise for the squares of the deviations.
  part(spread_).setZero();
  part(variance_).setZero();
  if (right.inexact) {
    const Matrix variance = of_right(right.deviation).cwiseAbs2();
    part(spread_).noalias() += a * of_right(right.radius).transpose();
    part(variance_).noalias() += a_squares * variance.transpose();
  }
  if (left.inexact) {
    const Matrix variance = of_left(left.deviation).cwiseAbs2();
    const Matrix reach = right.inexact ? Matrix(b + of_right(right.radius)) : b;
    const Matrix deviated = right.inexact ? Matrix((b + of_right(right.deviation)).cwiseAbs2()) : b_squares;
    part(spread_).noalias() += of_left(left.radius) * reach.transpose();
    part(variance_).noalias() += variance * deviated.transpose();
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
