// Products of matrices and vectors.
#include <algorithm>

#include "backends/vulkan/device_contraction.h"

namespace parallax::vulkan {
namespace {

// A [..., m, k] by a [..., k, n], or vectors, as the dims of the result and the one that goes.
Contraction product(const TensorRef& a, const Layout& a_layout, const TensorRef& b, const Layout& b_layout,
                    const TensorRef& output) {
  const int a_rank = a_layout.rank();
  const int b_rank = b_layout.rank();
  const Layout& to = *output.layout;
  Contraction c;
  c.dtype = output.dtype;
  c.outer = to.sizes;
  c.inner = {a_layout.sizes[a_rank - 1]};
  c.a = {a, a_layout.offset, Dims::filled(to.rank(), 0), {a_layout.strides[a_rank - 1]}};
  c.b = Contracted{b, b_layout.offset, Dims::filled(to.rank(), 0), {b_layout.strides[b_rank == 1 ? 0 : b_rank - 2]}};
  c.result = {output, to.offset, to.strides, {}};
  int next = to.rank() - 1;
  if (b_rank > 1) c.b->outer[next--] = b_layout.strides[b_rank - 1];
  if (a_rank > 1) c.a.outer[next--] = a_layout.strides[a_rank - 2];
  // Batch dims are broadcast from the last on.
  for (int back = 0; next - back >= 0; ++back) {
    const int dim = next - back;
    const auto step = [&](const Layout& layout) {
      const int own = layout.rank() - 3 - back;
      return own < 0 || layout.sizes[own] == 1 ? int64_t{0} : layout.strides[own];
    };
    c.a.outer[dim] = step(a_layout);
    c.b->outer[dim] = step(b_layout);
  }
  return c;
}

// beta self + alpha product
void add(const TensorRef& addend, Contraction& c) {
  const Layout wide = *broadcast_to(*addend.layout, c.outer);
  c.addend = Contracted{addend, wide.offset, wide.strides, {}};
}

Result<void> multiply(const KernelCall& call) {
  const TensorRef& a = call.input(arg::self);
  const TensorRef& b = call.input(second_operand);
  record_contraction(call, product(a, *a.layout, b, *b.layout, call.output()));
  return {};
}

// addmm(self, mat1, mat2, *, beta, alpha) and its kin
template <arg first, arg second>
Result<void> multiply_and_add(const KernelCall& call) {
  const TensorRef& a = call.input(first);
  const TensorRef& b = call.input(second);
  Contraction c = product(a, *a.layout, b, *b.layout, call.output());
  add(call.input(arg::self), c);
  c.beta = call.scalar(arg::beta);
  c.alpha = call.scalar(arg::alpha);
  record_contraction(call, std::move(c));
  return {};
}

// linear(input, weight, bias): the weight is transposed.
Result<void> linear(const KernelCall& call) {
  const TensorRef& input = call.input(arg::input);
  const TensorRef& weight = call.input(arg::weight);
  Layout turned = *weight.layout;
  if (turned.rank() == 2) {
    std::swap(turned.sizes[0], turned.sizes[1]);
    std::swap(turned.strides[0], turned.strides[1]);
  }
  Contraction c = product(input, *input.layout, weight, turned, call.output());
  if (call.has(arg::bias)) add(call.input(arg::bias), c);
  record_contraction(call, std::move(c));
  return {};
}

// Halves and floats add up in f32; integers and doubles in themselves.
bool takes_same_dtypes(const Call& call, const TensorMeta& result) {
  bool same = true;
  for (const Argument& argument : call.arguments()) {
    for_each_value(argument, [&](ValueId value) { same = same && call.meta(value).dtype == result.dtype; });
  }
  return same;
}

constexpr std::array product_table = {
    KernelRow{"aten.mm.default", takes_same_dtypes, multiply},
    KernelRow{"aten.bmm.default", takes_same_dtypes, multiply},
    KernelRow{"aten.mv.default", takes_same_dtypes, multiply},
    KernelRow{"aten.dot.default", takes_same_dtypes, multiply},
    KernelRow{"aten.vdot.default", takes_same_dtypes, multiply},
    KernelRow{"aten.matmul.default", takes_same_dtypes, multiply},
    KernelRow{"aten.addmm.default", takes_same_dtypes, multiply_and_add<arg::mat1, arg::mat2>},
    KernelRow{"aten.addmv.default", takes_same_dtypes, multiply_and_add<arg::mat, arg::vec>},
    KernelRow{"aten.baddbmm.default", takes_same_dtypes, multiply_and_add<arg::batch1, arg::batch2>},
    KernelRow{"aten.linear.default", takes_same_dtypes, linear},
};

}  // namespace

std::span<const KernelRow> product_kernels() { return product_table; }

}  // namespace parallax::vulkan
