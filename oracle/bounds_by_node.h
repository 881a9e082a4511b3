// Bounds by node: where along a graph the oracle's certainty goes, for a person who asks why an element is no proof.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "oracle/interpreter.h"

namespace parallax {

// The radius in units in the last place of the ball's centre; a subnormal centre counts as the smallest normal number.
double radius_in_ulps(DType dtype, const Ball& ball);

// What is known of a node's results just after it.
struct NodeBound {
  NodeId node;
  DType dtype = DType::F32;  // of the first result
  int64_t elements = 0;
  int64_t exact = 0;
  std::array<int64_t, undecided_reasons> undecided{};  // by reason; the first entry counts nothing
  // Of the decided inexact elements, in ulp; 0 where there is none.
  double median_ulp = 0;
  double largest_ulp = 0;
};

// One run on `feed`. An error is what eager raises on this data.
Result<std::vector<NodeBound>> bounds_by_node(const Graph& graph, const Profile& profile, std::span<const Tensor> feed);

// "exact", "exact 2 of 4, the rest to 3.1 ulp (at most 7)", "undecided 1 of 4: inexact_compare".
std::string describe(const NodeBound& bound);

}  // namespace parallax
