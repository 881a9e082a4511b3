#include "core/tensor.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

namespace parallax {

Tensor::Tensor(DType element, const Dims& shape)
    : dtype(element),
      sizes(shape),
      bytes(static_cast<std::size_t>(contiguous_layout(shape).numel()) * static_cast<std::size_t>(size_of(element))) {}

std::string type_text(DType dtype, const Dims& sizes) { return fmt::format("{}[{}]", name(dtype), to_string(sizes)); }

std::string element_text(const Tensor& tensor, int64_t i) {
  if (tensor.dtype == DType::Bool) return tensor.get_integer(i) ? "true" : "false";
  if (is_integral(tensor.dtype)) return fmt::format("{}", tensor.get_integer(i));
  const double x = tensor.get_double(i);
  // A float prints the digits that identify it among floats; f16 and bf16 are floats too.
  return tensor.dtype == DType::F64 ? fmt::format("{}", x) : fmt::format("{}", static_cast<float>(x));
}

Tensor gather(DType dtype, const Layout& layout, const std::byte* storage) {
  Tensor tensor(dtype, layout.sizes);
  const int size = size_of(dtype);
  std::byte* to = tensor.bytes.data();
  for_each_element(layout, [&](int64_t element) {
    std::memcpy(to, storage + element * size, static_cast<std::size_t>(size));
    to += size;
  });
  return tensor;
}

void scatter(const Tensor& tensor, const Layout& layout, std::byte* storage) {
  const int size = size_of(tensor.dtype);
  const std::byte* from = tensor.bytes.data();
  for_each_element(layout, [&](int64_t element) {
    std::memcpy(storage + element * size, from, static_cast<std::size_t>(size));
    from += size;
  });
}

Tensor settled(Tensor tensor, const Layout& layout) {
  if (!overlaps_itself(layout)) return tensor;
  std::vector<std::byte> memory(static_cast<std::size_t>(layout.extent() * size_of(tensor.dtype)));
  scatter(tensor, layout, memory.data());
  return gather(tensor.dtype, layout, memory.data());
}

}  // namespace parallax
