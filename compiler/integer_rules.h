// Integer rules: what the kernels of fused integer calls go by. What a fault of these kernels replaces.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/dtype.h"

namespace parallax {

// The limits of a quantized tensor.
struct IntegerLimits {
  int64_t low = 0;
  int64_t high = 0;
  DType dtype = DType::I8;
};

inline double nearest_even(double x) { return std::nearbyint(x); }
// The integer that stands for 0 in the padding of a convolution.
constexpr int64_t zero_point_in_pads(int64_t zero_point) { return zero_point; }
constexpr int64_t whole_sum(int64_t sum) { return sum; }
constexpr int64_t as_stored(DType, int64_t stored) { return stored; }
inline double mean_of(int64_t sum, int64_t count) { return static_cast<double>(sum) / static_cast<double>(count); }
// What is over the limits is at them.
inline double saturated(double whole, double zero_point, const IntegerLimits& limits) {
  return std::min(std::max(whole + zero_point, static_cast<double>(limits.low)), static_cast<double>(limits.high));
}
// Where nothing has been met yet.
inline int64_t lowest_of(DType dtype) { return info(dtype).min_integer; }
// The scale of a product's element, by its channel and by its place before the channels.
constexpr int64_t scale_by_channel(int64_t channel, int64_t /*row*/) { return channel; }
// The bias of a product, in the unit of the result; `input` and `weight` are the scales of its operands.
constexpr double bias_as_it_is(double bias, double /*input*/, double /*weight*/) { return bias; }

struct IntegerRules {
  double (*round)(double x) = nearest_even;
  int64_t (*pad)(int64_t zero_point) = zero_point_in_pads;
  int64_t (*accumulated)(int64_t sum) = whole_sum;
  int64_t (*read)(DType dtype, int64_t stored) = as_stored;
  double (*mean)(int64_t sum, int64_t count) = mean_of;
  double (*saturate)(double whole, double zero_point, const IntegerLimits& limits) = saturated;
  int64_t (*lowest)(DType dtype) = lowest_of;
  int64_t (*scale)(int64_t channel, int64_t row) = scale_by_channel;
  double (*bias)(double bias, double input, double weight) = bias_as_it_is;
  bool activates_integers = false;  // a relu looks at what is stored

  friend bool operator==(const IntegerRules&, const IntegerRules&) = default;
};

}  // namespace parallax
