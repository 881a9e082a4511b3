// Resampling: weighted sums over a few places along each spatial dim of a picture.
#pragma once

#include <cmath>

#include "backends/portable/windows.h"

namespace parallax::portable {

// Up to four places along a dim, and what each counts. A place of -1 lies outside and counts nothing.
template <class W>
struct Taps {
  std::array<int64_t, 4> places{};
  std::array<W, 4> weights{};
  std::size_t count = 0;
};

template <class W>
Taps<W> one_tap(int64_t place) {
  return {{place}, {W(1)}, 1};
}

// Between the two neighbours of a place within the dim; behind the last one there is only that.
template <class W>
Taps<W> linear_taps(W place, int64_t size) {
  const int64_t low = std::min(static_cast<int64_t>(place), size - 1);
  const W weight = std::min(std::max(place - static_cast<W>(low), W(0)), W(1));
  return {{low, low + (low < size - 1)}, {W(1) - weight, weight}, 2};
}

// The cubic convolution through four neighbours, with ATen's slope of -0.75. The places may lie outside.
template <class W>
Taps<W> cubic_taps(W place) {
  constexpr W slope(-0.75);
  const auto near = [](W x) { return ((slope + 2) * x - (slope + 3)) * x * x + 1; };
  const auto far = [](W x) { return ((slope * x - 5 * slope) * x + 8 * slope) * x - 4 * slope; };
  const W low = std::floor(place);
  const W t = place - low;
  Taps<W> taps{{}, {far(t + 1), near(t), near(1 - t), far(2 - t)}, 4};
  for (std::size_t i = 0; i < taps.count; ++i) taps.places[i] = static_cast<int64_t>(low) - 1 + static_cast<int64_t>(i);
  return taps;
}

// Over a plane of elements; weights are multiplied from the innermost dim out.
template <class W>
W weighted_sum(const W* elements, const Space& sizes, const Taps<W>& z, const Taps<W>& y, const Taps<W>& x) {
  W sum(0);
  for (std::size_t i = 0; i < z.count; ++i) {
    W plane(0);
    for (std::size_t j = 0; j < y.count; ++j) {
      W row(0);
      for (std::size_t k = 0; k < x.count; ++k) {
        if (z.places[i] < 0 || y.places[j] < 0 || x.places[k] < 0) continue;
        const int64_t at = (z.places[i] * sizes[1] + y.places[j]) * sizes[2] + x.places[k];
        row += x.count == 1 ? elements[at] : elements[at] * x.weights[k];
      }
      plane += y.count == 1 ? row : row * y.weights[j];
    }
    sum += z.count == 1 ? plane : plane * z.weights[i];
  }
  return sum;
}

}  // namespace parallax::portable
