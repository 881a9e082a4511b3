#include "export/python_dense.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

namespace parallax {
namespace {

Dims permuted(const Dims& dims, const std::vector<int>& order) {
  Dims result;
  for (const int dim : order) result.push_back(dims[dim]);
  return result;
}

// The dims from the outermost in memory on, where that is all that tells it from a row-major tensor.
std::optional<std::vector<int>> dense_order(const Layout& layout) {
  std::vector<int> order(static_cast<std::size_t>(layout.rank()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](int dim) { return layout.strides[dim]; });
  if (permuted(layout.strides, order) != contiguous_strides(permuted(layout.sizes, order))) return std::nullopt;
  return order;
}

// The step between neighbours, where the elements lie in row-major order at one.
std::optional<int64_t> row_major_step(const Layout& layout) {
  const int64_t step = layout.rank() == 0 ? 1 : layout.strides[layout.rank() - 1];
  Dims strides = contiguous_strides(layout.sizes);
  for (int64_t& stride : strides) stride *= step;
  if (step < 1 || strides != layout.strides) return std::nullopt;
  return step;
}

}  // namespace

Tensor dense_memory(const Tensor& tensor, const Layout& layout) {
  const auto order = dense_order(layout);
  Tensor memory(tensor.dtype, order ? permuted(layout.sizes, *order) : Dims{layout.extent()});
  scatter(tensor, layout, memory.bytes.data());
  return memory;
}

std::string python_view_of_memory(std::string_view memory, const Layout& layout) {
  const auto order = dense_order(layout);
  if (!order) return python_view_of_storage(memory, 1, layout);
  Dims dims = Dims::filled(layout.rank(), 0);
  for (int dim = 0; dim < layout.rank(); ++dim) dims[(*order)[static_cast<std::size_t>(dim)]] = dim;
  return fmt::format("torch.ops.aten.permute.default({}, [{}])", memory, to_string(dims));
}

std::string python_view_of_storage(std::string_view storage, int rank, const Layout& layout) {
  const auto step = row_major_step(layout);
  if (!step || rank != 1) {
    return fmt::format("torch.ops.aten.as_strided.default({}, [{}], [{}], {})", storage, to_string(layout.sizes),
                       to_string(layout.strides), layout.offset);
  }
  return fmt::format("torch.ops.aten.view.default(torch.ops.aten.slice.Tensor({}, 0, {}, {}, {}), [{}])", storage,
                     layout.offset, layout.extent(), *step, to_string(layout.sizes));
}

}  // namespace parallax
