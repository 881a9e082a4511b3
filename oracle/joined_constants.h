// Joined constants: implementations that combine the constants which are added to a value, or multiplied with it, one
// after another, into one constant that is rounded anew.
//
// Every element that add, sub, rsub, mul, div and neg made of a value and constants is a x + b, a polynomial in the
// constants. However they are combined, each monomial goes through one rounding for each operation at most, so that the
// result is off by gamma_k (|a| |x| + |b|), with magnitudes in place of all terms (Higham, Accuracy and Stability of
// Numerical Algorithms, 3.1). Where nothing rounds in any order, the element stays exact.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/profile.h"
#include "graph/graph.h"
#include "ops/ball.h"
#include "ops/ball_dot.h"

namespace parallax {

// What constants have made of one element so far.
class ConstantChain {
 public:
  ConstantChain() = default;
  explicit ConstantChain(const Ball& base);

  // Times a constant; `error_units` unit roundoffs at most are made in it, none of them where it is a power of two.
  void scale(const Ball& factor, double error_units);
  void shift(const Ball& term);
  // A constant that the dtype does not hold is rounded.
  void round_constant() { ++roundings_; }

  bool started() const { return scales_ + shifts_ > 0; }
  // The ball, widened to what any way of joining the constants comes to.
  Ball widened(const Ball& ball, DType dtype, const Profile& profile) const;

 private:
  bool on_exact_grid(const DTypeInfo& format, const Profile& profile) const;

  double scales_ = 0;            // by another number than 1 and -1
  double shifts_ = 0;            // by another number than 0
  double roundings_ = 0;         // that any monomial goes through, in unit roundoffs
  double base_ = 0;              // |x|
  double magnitude_ = 0;         // |a| |x| + |b|
  double inherited_ = 0;         // of the radii of x and of the constants
  double growth_ = 1;            // the product of the factors over 1
  double shrinkage_ = 1;         // and of those under 1
  double peak_ = 1;              // over everything that can be computed on the way
  int lowest_ = Factor::no_bit;  // every monomial is a multiple of that power of two
  bool exact_ = false;           // x and the constants are, and no quotient rounds
};

class JoinedConstants {
 public:
  JoinedConstants(const Graph& graph, const Profile& profile);

  // Before a run: no element is part of a chain.
  void start();
  // Before a node is run, as it may write over its operands.
  void note(const Node& node, std::span<const BallView> views);
  // Widens what the node made.
  void widen(const Node& node, std::span<const BallView> views);

 private:
  void find_constants(const Graph& graph);
  bool is_constant(const Argument& argument) const;

  const Graph* graph_;
  const Profile* profile_;
  bool allowed_;
  std::vector<bool> constant_;                      // by storage: its elements are known when a program is compiled
  std::vector<std::vector<ConstantChain>> chains_;  // by storage and element; empty where there is none
  std::vector<ConstantChain> noted_;                // of the node, by the row-major index of its result
};

}  // namespace parallax
