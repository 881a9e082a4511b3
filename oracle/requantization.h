// Requantization in fixed point: implementations that make a call of quantized operands, and the quantize behind it,
// one call on integers, whose sum is multiplied by a constant of so many bits.
//
// The sum is exact. The constant M = 2^e m, 1/2 <= m < 1, is the product of the operands' scales over the result's, and
// m is rounded to its bits, which is a relative error. A product of 31 bits may be rounded twice: to an integer, and
// once more when it is shifted right by -e bits, so that half a unit of 2^e is added where e < 0 (Jacob et al.,
// Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference, 2.2). Operands of a sum
// meet their scales so before they are added, with bits to spare. A bias joins the sum as an integer.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/profile.h"
#include "graph/graph.h"
#include "ops/ball.h"

namespace parallax {

class Requantization {
 public:
  Requantization(const Graph& graph, const Profile& profile);

  // Widens what a node quantized, if it was made of quantized operands.
  void widen(const Node& node, std::span<const BallView> views) const;

  // By how much steps of the result may be off before they are rounded to integers.
  struct Error {
    double relative = 0;
    double absolute = 0;
  };

 private:
  // Scales from the smallest to the largest.
  struct Scales {
    double low = 1;
    double high = 1;
    bool narrow = true;  // of integers of 8 bits
  };

  const Node* maker(ValueId value) const;
  // Past what passes integers on: views, relu, clamps.
  ValueId origin(ValueId value) const;
  std::optional<Scales> scales_of(ValueId value, std::span<const BallView> views) const;
  std::optional<Error> error_of(ValueId value, double scale, std::span<const BallView> views) const;
  std::optional<Error> error_of_sum(const Node& node, double scale, std::span<const BallView> views) const;
  // Of a sum whose unit is `low` to `high` steps of the result.
  Error error_of_product(double low, double high) const;

  const Graph* graph_;
  double relative_ = 0;  // of a multiplier; 0 where none is allowed
  bool twice_ = false;   // whether products may be rounded twice
  bool rounds_bias_ = false;
  std::vector<std::optional<std::size_t>> makers_;  // by value; empty where nothing is widened
};

}  // namespace parallax
