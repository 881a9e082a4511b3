// Tensor: dense row-major elements on the host. What is fed, what is expected, what a target handed back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/dtype.h"
#include "core/layout.h"

namespace parallax {

struct Tensor {
  DType dtype = DType::F32;
  Dims sizes;
  std::vector<std::byte> bytes;

  Tensor() = default;
  // All zeros.
  Tensor(DType element, const Dims& shape);

  int64_t numel() const { return static_cast<int64_t>(bytes.size()) / size_of(dtype); }
  // Element i in row-major order; get_integer is for integers and bool, get_double for every dtype.
  double get_double(int64_t i) const { return load_double(dtype, at(i)); }
  int64_t get_integer(int64_t i) const { return load_integer(dtype, at(i)); }
  // Rounds (floats) or wraps (integers) to the dtype. Setting an integer tensor from a double is a bug.
  void set_double(int64_t i, double x) { store_double(dtype, x, at(i)); }
  void set_integer(int64_t i, int64_t x) { store_integer(dtype, x, at(i)); }

  const std::byte* at(int64_t i) const { return bytes.data() + i * size_of(dtype); }
  std::byte* at(int64_t i) { return bytes.data() + i * size_of(dtype); }

  // Bit for bit equal, type included.
  friend bool operator==(const Tensor&, const Tensor&) = default;
};

// "f32[2,3]".
std::string type_text(DType dtype, const Dims& sizes);

// One element as a person reads it: shortest digits that read back to the same value, "nan", "-inf", true.
std::string element_text(const Tensor& tensor, int64_t i);

// Reads the elements of `layout` out of raw storage bytes, in row-major order.
Tensor gather(DType dtype, const Layout& layout, const std::byte* storage);
// Writes row-major elements into raw storage bytes under `layout`.
void scatter(const Tensor& tensor, const Layout& layout, std::byte* storage);
// What a tensor reads back as once it lies in memory under `layout` (offset 0): elements that share a place agree.
Tensor settled(Tensor tensor, const Layout& layout);

}  // namespace parallax
