#include "fuzz/generate/draw_values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "core/limits.h"

namespace parallax {
namespace {

enum class Fill { Grid, General, Specials };

// 0, -1, 1, -2, 2 …: the choice 0 is the number 0.
int64_t zigzag(uint64_t n) { return (n & 1) ? -static_cast<int64_t>((n + 1) / 2) : static_cast<int64_t>(n / 2); }

// A multiple of 1/8 in [-4, 4]: sums and products of a few stay exact in every float dtype but the 16-bit ones.
double draw_grid(Choices& choices) { return static_cast<double>(zigzag(choices.below(65))) / 8; }

// A number in [-2, 2] with all its bits in use.
double draw_general(Choices& choices) { return static_cast<double>(zigzag(choices.below(0xFFFF))) / 16384.3; }

double draw_special(Choices& choices, DType dtype) {
  const std::array values = {0.0,      -0.0,
                             1.0,      -1.0,
                             0.5,      info(dtype).smallest_normal,
                             100.0,    info(dtype).max_finite,
                             infinity, std::numeric_limits<double>::quiet_NaN()};
  // Most stay finite: one NaN decides little and hides much.
  static constexpr std::array<uint32_t, 10> weights = {8, 8, 8, 8, 8, 3, 4, 2, 1, 1};
  return values[choices.weighted(weights)];
}

// What infinities and NaN are told from.
double draw_extreme(Choices& choices, DType dtype) {
  const double most = info(dtype).max_finite;
  const std::array values = {infinity, -infinity, nan, most, -most, 0.0};
  return choices.pick(values);
}

void fill_floats(Choices& choices, Tensor& tensor, const GenerateWeights& weights, bool is_special) {
  if (is_special && choices.chance(40)) {
    for (int64_t i = 0; i < tensor.numel(); ++i)
      tensor.set_double(i, choices.chance(40) ? draw_extreme(choices, tensor.dtype) : draw_grid(choices));
    return;
  }
  const auto fill = static_cast<Fill>(choices.weighted(weights.fills));
  const int64_t count = tensor.numel();
  for (int64_t i = 0; i < count; ++i) {
    double x = 0;
    switch (fill) {
      case Fill::Grid:
        x = draw_grid(choices);
        break;
      case Fill::General:
        x = draw_general(choices);
        break;
      case Fill::Specials:
        x = choices.chance(40) ? draw_special(choices, tensor.dtype) : draw_grid(choices);
        break;
    }
    tensor.set_double(i, x);
  }
}

// One of the ends of the dtype, or what lies beside a power of two, up to which a narrower dtype holds integers. Those
// of 64 bits are what i32 holds: they are sizes and places in most programs, and several systems say that they keep 32.
// Bytes are few enough for any.
int64_t draw_far(Choices& choices, DType dtype) {
  const DTypeInfo& limits = info(dtype == DType::I64 ? DType::I32 : dtype);
  if (size_of(dtype) == 1 && choices.chance(50)) return choices.between(limits.min_integer, limits.max_integer);
  if (choices.chance(25)) return choices.chance(50) ? limits.max_integer : limits.min_integer;
  const int64_t most = std::bit_width(static_cast<uint64_t>(limits.max_integer)) - 1;
  const int64_t far = (int64_t{1} << choices.between(3, most)) + zigzag(choices.below(5));
  return limits.min_integer < 0 && choices.chance(50) ? -far : far;
}

// `far`: how often some lie far from 0, in percent.
void fill_integers(Choices& choices, Tensor& tensor, int far) {
  const int64_t count = tensor.numel();
  const bool is_far = far > 0 && choices.chance(far);
  const uint64_t range = tensor.dtype == DType::Bool ? 2 : tensor.dtype == DType::U8 ? 6 : 11;
  const bool is_signed = info(tensor.dtype).min_integer < 0;
  for (int64_t i = 0; i < count; ++i) {
    if (is_far && choices.chance(60)) {
      tensor.set_integer(i, draw_far(choices, tensor.dtype));
      continue;
    }
    const uint64_t drawn = choices.below(range);
    tensor.set_integer(i, is_signed ? zigzag(drawn) : static_cast<int64_t>(drawn));
  }
}

// Shifts by about as many bits as there are.
void fill_shifts(Choices& choices, Tensor& tensor, int64_t width) {
  const std::array counts = {int64_t{0}, int64_t{1}, width - 1, width, width + 1};
  for (int64_t i = 0; i < tensor.numel(); ++i) tensor.set_integer(i, choices.pick(counts));
}

void fill_indices(Choices& choices, Tensor& tensor, int64_t bound) {
  const int64_t count = tensor.numel();
  std::vector<int64_t> left;
  for (int64_t i = 0; i < count; ++i) {
    if (left.empty()) {
      for (int64_t place = 0; place < bound; ++place) left.push_back(place);
    }
    const auto at = static_cast<std::ptrdiff_t>(choices.below(left.size()));
    tensor.set_integer(i, left[static_cast<std::size_t>(at)]);
    left.erase(left.begin() + at);
  }
}

}  // namespace

Tensor draw_tensor(Choices& choices, DType dtype, const Dims& sizes, const GenerateWeights& weights,
                   const ElementUse& use) {
  Tensor tensor(dtype, sizes);
  if (is_floating(dtype)) {
    fill_floats(choices, tensor, weights, use.special);
  } else if (use.places && *use.places > 0 && dtype != DType::Bool) {
    fill_indices(choices, tensor, *use.places);
  } else if (use.width && dtype != DType::Bool && choices.chance(50)) {
    fill_shifts(choices, tensor, *use.width);
  } else {
    const int far = use.wraps ? std::min(3 * weights.far_integers, 60) : weights.far_integers;
    fill_integers(choices, tensor, use.near || dtype == DType::Bool ? 0 : far);
  }
  return tensor;
}

}  // namespace parallax
