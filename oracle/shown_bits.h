// Shown bits: how far below the scale of their tensors a check could see errors, element by element.
#pragma once

#include <array>
#include <cstdint>

namespace parallax {

struct ShownBits {
  std::array<int64_t, 54> by_bits{};  // how many elements show so many bits, up to the 53 of f64

  // An element whose value is known to `error`, of a tensor of that scale.
  void add(double scale, double error);
  void add(const ShownBits& other);

  int64_t elements() const;
  // That half of the elements show at least; 0 where there are none.
  int median() const;
  // That every element shows.
  int least() const;
  bool operator==(const ShownBits&) const = default;
};

}  // namespace parallax
