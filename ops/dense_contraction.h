// DenseContraction: the sums behind a contraction of plain factors, by matrix products instead of a product at a time.
//
// Each of the sums that a bound needs (of a b, of |a b|, of the radii's and deviations' part, of the products that are
// not 0) is itself a product of two matrices, which takes a tenth of a loop over pairs.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "ops/contraction.h"

namespace parallax {

class DenseContraction {
 public:
  // How many sums, and the factors of each operand: a lane of `inner` after the other, those of a batch together.
  struct Lanes {
    int64_t batches;
    int64_t rows;
    int64_t columns;
    int64_t inner;
    std::vector<const Ball*> left;   // a lane for each row
    std::vector<const Ball*> right;  // a lane for each column
  };

  // None where a factor is not plain.
  static std::optional<DenseContraction> of(const Lanes& lanes);
  // Of the contraction's operands; none where there is too little to do for it, or a factor is not plain.
  static std::optional<DenseContraction> of(const Contraction& contraction, const BallView& left,
                                            const BallView& right);

  BallDot::Sums sums(int64_t batch, int64_t row, int64_t column) const;

 private:
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  // What is known of all factors of one row of the left, or of the right, operand.
  struct Lane {
    int lowest = Factor::no_bit;
    bool inexact = false;
  };

  // One operand: a row a lane, those of all batches one after the other.
  struct Operand {
    Matrix mid;
    Matrix radius;  // this and the deviation are empty where every factor is exact
    Matrix deviation;
    std::vector<Lane> lanes;
    bool inexact = false;
    bool zeros = false;  // some factor is exactly 0
  };

  static std::optional<Operand> operand(const std::vector<const Ball*>& factors, int64_t inner);

  DenseContraction(const Lanes& lanes, Operand left, Operand right);
  void add_batch(const Operand& left, const Operand& right, int64_t batch);

  int64_t rows_;
  int64_t columns_;
  int64_t inner_;
  // One entry a result: batch and row, column.
  Matrix mid_;
  Matrix magnitude_;
  Matrix squares_;
  Matrix products_;
  Matrix spread_;
  Matrix variance_;
  std::vector<Lane> left_lanes_;
  std::vector<Lane> right_lanes_;
};

}  // namespace parallax
