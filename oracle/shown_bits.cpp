#include "oracle/shown_bits.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace parallax {

void ShownBits::add(double scale, double error) {
  const int most = static_cast<int>(by_bits.size()) - 1;
  const int bits = error > 0 ? (std::isfinite(error) ? std::ilogb(scale / error) : 0) : most;
  ++by_bits[static_cast<std::size_t>(std::clamp(bits, 0, most))];
}

void ShownBits::add(const ShownBits& other) {
  std::ranges::transform(by_bits, other.by_bits, by_bits.begin(), std::plus<>());
}

int64_t ShownBits::elements() const { return std::accumulate(by_bits.begin(), by_bits.end(), int64_t{0}); }

int ShownBits::median() const {
  int64_t left = elements() / 2;
  for (std::size_t bits = 0; bits < by_bits.size(); ++bits) {
    left -= by_bits[bits];
    if (left < 0) return static_cast<int>(bits);
  }
  return 0;
}

int ShownBits::least() const {
  const auto first = std::ranges::find_if(by_bits, [](int64_t count) { return count > 0; });
  return first == by_bits.end() ? 0 : static_cast<int>(first - by_bits.begin());
}

}  // namespace parallax
