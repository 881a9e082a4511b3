#include "ops/dense_contraction.h"

#include <Eigen/Core>
#include <algorithm>

namespace parallax {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// One operand's factors, as matrices of what the sums multiply.
struct Parts {
  Matrix mid;
  Matrix magnitude;
  Matrix squares;
  Matrix present;  // 1, or 0 for an exact 0
  Matrix radius;
  Matrix reach;     // |mid| + radius
  Matrix variance;  // of the factor itself
  Matrix deviated;  // (|mid| + deviation)^2
  bool inexact = false;
  bool zeros = false;  // some factor is exactly 0

  Parts(std::span<const Factor> factors, int64_t rows, int64_t inner) : mid(rows, inner), present(rows, inner) {
    for (int64_t i = 0; i < rows * inner; ++i) {
      const Factor& factor = factors[static_cast<std::size_t>(i)];
      mid(i / inner, i % inner) = factor.ball.mid;
      present(i / inner, i % inner) = factor.zero ? 0 : 1;
      inexact = inexact || factor.ball.radius != 0;
      zeros = zeros || factor.zero;
    }
    magnitude = mid.cwiseAbs();
    squares = mid.cwiseAbs2();
  }

  void take_errors(std::span<const Factor> factors) {
    radius.resizeLike(mid);
    variance.resizeLike(mid);
    Matrix spread(mid.rows(), mid.cols());
    for (int64_t i = 0; i < mid.size(); ++i) {
      const Ball& ball = factors[static_cast<std::size_t>(i)].ball;
      radius.data()[i] = ball.radius;
      spread.data()[i] = ball.spread();
    }
    variance = spread.cwiseAbs2();
    reach = magnitude + radius;
    deviated = (magnitude + spread).cwiseAbs2();
  }
};

void append(std::vector<double>& to, const Matrix& matrix) {
  to.insert(to.end(), matrix.data(), matrix.data() + matrix.size());
}

}  // namespace

DenseContraction::DenseContraction(const Contraction& contraction, std::span<const Factor> left,
                                   std::span<const Factor> right)
    : rows_(contraction.rows),
      columns_(contraction.columns),
      inner_(contraction.inner),
      left_lanes_(lanes_of(left)),
      right_lanes_(lanes_of(right)) {
  const auto left_size = static_cast<std::size_t>(rows_ * inner_);
  const auto right_size = static_cast<std::size_t>(columns_ * inner_);
  for (int64_t batch = 0; batch < contraction.batches; ++batch) {
    const auto at = static_cast<std::size_t>(batch);
    add_batch(left.subspan(at * left_size, left_size), right.subspan(at * right_size, right_size));
  }
}

std::vector<DenseContraction::Lane> DenseContraction::lanes_of(std::span<const Factor> factors) const {
  std::vector<Lane> lanes;
  for (std::size_t first = 0; first < factors.size(); first += static_cast<std::size_t>(inner_)) {
    Lane& lane = lanes.emplace_back();
    for (const Factor& factor : factors.subspan(first, static_cast<std::size_t>(inner_))) {
      lane.lowest = std::min(lane.lowest, factor.lowest);
      lane.inexact = lane.inexact || factor.ball.radius != 0;
    }
  }
  return lanes;
}

void DenseContraction::add_batch(std::span<const Factor> left, std::span<const Factor> right) {
  Parts a(left, rows_, inner_);
  Parts b(right, columns_, inner_);
  const auto product = [](const Matrix& x, const Matrix& y) -> Matrix { return x * y.transpose(); };
  append(mid_, product(a.mid, b.mid));
  append(magnitude_, product(a.magnitude, b.magnitude));
  append(squares_, product(a.squares, b.squares));
  if (a.zeros || b.zeros) {
    append(products_, product(a.present, b.present));
  } else {
    products_.resize(mid_.size(), static_cast<double>(inner_));
  }
  Matrix spread = Matrix::Zero(rows_, columns_);
  Matrix variance = Matrix::Zero(rows_, columns_);
  if (b.inexact) {
    b.take_errors(right);
    spread += product(a.magnitude, b.radius);
    variance += product(a.squares, b.variance);
  }
  if (a.inexact) {
    a.take_errors(left);
    spread += product(a.radius, b.inexact ? b.reach : b.magnitude);
    variance += product(a.variance, b.inexact ? b.deviated : b.squares);
  }
  append(spread_, spread);
  append(variance_, variance);
}

BallDot::Sums DenseContraction::sums(int64_t batch, int64_t row, int64_t column) const {
  const auto at = static_cast<std::size_t>((batch * rows_ + row) * columns_ + column);
  const Lane& left = left_lanes_[static_cast<std::size_t>(batch * rows_ + row)];
  const Lane& right = right_lanes_[static_cast<std::size_t>(batch * columns_ + column)];
  return {mid_[at],
          magnitude_[at],
          squares_[at],
          spread_[at],
          variance_[at],
          products_[at],
          left.lowest + right.lowest,
          left.inexact || right.inexact};
}

}  // namespace parallax
