#include "backends/portable/kernel.h"

#include <array>
#include <unordered_map>

namespace parallax::portable {
namespace {

constexpr std::array families = {
    unary_kernels,     binary_kernels,     division_kernels, comparison_kernels,  move_kernels,         fill_kernels,
    reduction_kernels, index_kernels,      product_kernels,  convolution_kernels, pool_kernels,         pad_kernels,
    function_kernels,  rounding_kernels,   bit_kernels,      pair_kernels,        order_kernels,        scan_kernels,
    scatter_kernels,   lookup_kernels,     resample_kernels, grid_kernels,        distance_kernels,     gamma_kernels,
    bessel_kernels,    polynomial_kernels, bag_kernels,      gradient_kernels,    quantization_kernels,
};

using Table = std::unordered_map<std::string_view, KernelEntry>;

Table make_table() {
  Table table;
  for (auto family : families) {
    for (const KernelEntry& entry : family()) PARALLAX_CHECK(table.emplace(entry.op, entry).second);
  }
  return table;
}

const KernelEntry* find_entry(std::string_view op) {
  static const Table table = make_table();
  const auto found = table.find(op);
  return found == table.end() ? nullptr : &found->second;
}

}  // namespace

void KernelCall::clone_gaps(ParameterRef parameter) const {
  const Layout& to = *output().layout;
  const TensorRef& from = input(parameter);
  if ((is_dense(to) && to.offset == 0) || *from.layout != to) return;
  std::memcpy(output().storage, from.storage, static_cast<std::size_t>(to.extent() * size_of(output().dtype)));
}

Kernel find_kernel(std::string_view op) {
  const KernelEntry* entry = find_entry(op);
  return entry ? entry->kernel : nullptr;
}

bool writes_in_place(const Op& op, int) {
  const KernelEntry* entry = find_entry(op.name);
  return entry && entry->overwrites == Overwrites::Elements;
}

}  // namespace parallax::portable
