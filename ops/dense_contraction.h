// DenseContraction: the sums behind a contraction of plain factors, by matrix products instead of a product at a time.
//
// Each of the sums that a bound needs (of a b, of |a b|, of the radii's and deviations' part, of the products that are
// not 0) is itself a product of two matrices, and Eigen's is some ten times as fast as a loop over pairs.
#pragma once

#include <span>
#include <vector>

#include "ops/contraction.h"

namespace parallax {

class DenseContraction {
 public:
  // Whether there is enough to do for it.
  static bool pays_off(const Contraction& contraction) {
    return contraction.inner >= 8 && contraction.rows * contraction.columns * contraction.inner >= 512;
  }

  // The factors in the order of the contraction's layouts, all of them plain.
  DenseContraction(const Contraction& contraction, std::span<const Factor> left, std::span<const Factor> right);

  BallDot::Sums sums(int64_t batch, int64_t row, int64_t column) const;

 private:
  // What is known of all factors of one row of the left, or of the right, operand.
  struct Lane {
    int lowest = Factor::no_bit;
    bool inexact = false;
  };

  std::vector<Lane> lanes_of(std::span<const Factor> factors) const;
  void add_batch(std::span<const Factor> left, std::span<const Factor> right);

  int64_t rows_;
  int64_t columns_;
  int64_t inner_;
  // One entry a result: batch, row, column.
  std::vector<double> mid_;
  std::vector<double> magnitude_;
  std::vector<double> squares_;
  std::vector<double> products_;
  std::vector<double> spread_;
  std::vector<double> variance_;
  std::vector<Lane> left_lanes_;
  std::vector<Lane> right_lanes_;
};

}  // namespace parallax
