// Products of matrices and vectors, in batches that broadcast. What is added to them is left to the decompositions.
#include <array>

#include "backends/portable/kernel.h"
#include "backends/portable/matrix_product.h"

namespace parallax::portable {
namespace {

// A factor as batches of matrices: a vector is a row on the left and a column on the right.
Layout as_matrices(Layout layout, int place_of_added_dim) {
  if (layout.rank() > 1) return layout;
  const int64_t length = layout.sizes[0];
  const int64_t stride = layout.strides[0];
  const bool row = place_of_added_dim == 0;
  layout.sizes = row ? Dims{1, length} : Dims{length, 1};
  layout.strides = row ? Dims{0, stride} : Dims{stride, 0};
  return layout;
}

Dims batches_of(const Dims& sizes) { return Dims(std::span(sizes.begin(), sizes.end() - 2)); }

// Where the matrices of each batch begin, in elements of the factor's row-major copy.
template <class Visit>
void for_each_batch(const Dims& batches, const Layout& a, const Layout& b, Visit&& visit) {
  const auto firsts = [&](const Layout& factor) {
    const Dims own = batches_of(factor.sizes);
    std::vector<int64_t> places;
    for_each_element(*broadcast_to(contiguous_layout(own), batches), [&](int64_t batch) {
      places.push_back(batch * factor.sizes[factor.rank() - 2] * factor.sizes[factor.rank() - 1]);
    });
    return places;
  };
  const std::vector<int64_t> a_places = firsts(a);
  const std::vector<int64_t> b_places = firsts(b);
  for (std::size_t i = 0; i < a_places.size(); ++i) visit(a_places[i], b_places[i]);
}

Result<void> matmul(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  const Layout a_layout = as_matrices(*call.input(arg::self).layout, 0);
  const Layout b_layout = as_matrices(*call.input(second_operand).layout, 1);
  const std::optional<Dims> batches = broadcast_sizes(batches_of(a_layout.sizes), batches_of(b_layout.sizes));
  PARALLAX_CHECK(batches.has_value());
  const ProductSizes sizes{a_layout.sizes[a_layout.rank() - 2], a_layout.sizes[a_layout.rank() - 1],
                           b_layout.sizes[b_layout.rank() - 1]};
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    const Numbers<C> a = call.read<C>(call.input(arg::self), a_layout, dtype);
    const Numbers<C> b = call.read<C>(call.input(second_operand), b_layout, dtype);
    Numbers<C> products = call.numbers<C>(call.output().layout->numel());
    C* to = products.data();
    if (products.empty()) return;
    for_each_batch(*batches, a_layout, b_layout, [&](int64_t a_first, int64_t b_first) {
      multiply_matrices(sizes, a.data() + a_first, b.data() + b_first, to);
      to += sizes.rows * sizes.columns;
    });
    call.write(products);
  });
  return {};
}

constexpr std::array product_table = {
    KernelEntry{"aten.mm.default", matmul},   KernelEntry{"aten.bmm.default", matmul},
    KernelEntry{"aten.mv.default", matmul},   KernelEntry{"aten.dot.default", matmul},
    KernelEntry{"aten.vdot.default", matmul}, KernelEntry{"aten.matmul.default", matmul},
};

}  // namespace

std::span<const KernelEntry> product_kernels() { return product_table; }

}  // namespace parallax::portable
