// IntegerCall: what XNNPACK is to be told of a fused call of quantized tensors. Only what it computes as the case does.
//
// The library checks a part of its parameters when it creates an operator and asserts the rest: scales outside of what
// it takes end the process where it was built with assertions. So they are checked here.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/graph.h"

namespace parallax::xnnpack {

struct IntegerCall {
  enum class Kind : uint8_t { Linear, Convolution, Multiply };
  struct Scheme {
    float scale = 1;
    int64_t zero_point = 0;
  };

  Kind kind = Kind::Linear;
  DType dtype = DType::I8;  // of what it reads and makes
  ValueId x;
  ValueId other;  // the weight, or the second factor
  Scheme of_x, of_other, of_result;
  std::vector<float> channel_scales;  // of a weight that has one for each
  std::vector<int32_t> bias;          // by channel; empty for none
  int64_t low = 0;
  int64_t high = 0;
  // Of a convolution.
  std::vector<int64_t> stride, padding, dilation;
  int64_t groups = 1;
};

// Nothing for a call that the library does not compute, or not as exactly.
std::optional<IntegerCall> integer_call(const Graph& graph, const Node& node);

// A constant that is no window; null for any other value.
const Source* constant_source(const Graph& graph, ValueId value);

}  // namespace parallax::xnnpack
