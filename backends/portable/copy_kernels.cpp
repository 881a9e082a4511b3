// Copies and casts: the elements stay, the memory, the strides or the dtype change.
#include <array>

#include "backends/portable/kernel.h"

namespace parallax::portable {
namespace {

// Moves the elements of `layout` over `from` into the output, row-major to row-major.
void copy_elements(const KernelCall& call, const TensorRef& from, const Layout& layout) {
  const DType to = call.output().dtype;
  // Whether a number is true is asked of the number itself: 0.5 is, and its integer part is not.
  const DType compute = to == DType::Bool ? from.dtype : to;
  with_compute_type(compute, [&]<class C>(std::type_identity<C>) {
    Numbers<C> values = call.numbers<C>(layout.numel());
    read_elements(from, layout, values.data());
    call.write(values);
  });
}

// clone, a cast, or a reshape that needs memory of its own: all read the operand row-major.
Result<void> copy_operand(const KernelCall& call) {
  copy_elements(call, call.input(0), *call.input(0).layout);
  return {};
}

// copy_(self, src): src, broadcast.
Result<void> copy_source(const KernelCall& call) {
  const std::optional<Layout> layout = broadcast_to(*call.input(1).layout, call.output_sizes());
  PARALLAX_CHECK(layout.has_value());
  copy_elements(call, call.input(1), *layout);
  return {};
}

// copy(self, src): a clone of self's storage, then src.
Result<void> clone_and_copy(const KernelCall& call) {
  call.clone_gaps(0);
  return copy_source(call);
}

// The copying twin of a view op: what the view would show. The twins that only reshape also take operands that have no
// such view.
Result<void> copy_view(const KernelCall& call) {
  const Op* view = call.op().view_twin;
  Layout layout = *call.input(0).layout;
  if (view) {
    const Result<std::vector<ResultMeta>> shown = view->infer(Call(*view, call.arguments(), call.metas()));
    if (shown) layout = shown->front().layout;
  }
  copy_elements(call, call.input(0), layout);
  return {};
}

constexpr std::array table = {
    KernelEntry{"aten.clone.default", copy_operand},        KernelEntry{"aten.lift_fresh_copy.default", copy_operand},
    KernelEntry{"aten._to_copy.default", copy_operand},     KernelEntry{"aten.to.dtype", copy_operand},
    KernelEntry{"aten.contiguous.default", copy_operand},   KernelEntry{"aten.reshape.default", copy_operand},
    KernelEntry{"aten.flatten.using_ints", copy_operand},   KernelEntry{"aten.copy.default", clone_and_copy},
    KernelEntry{"aten.copy_.default", copy_source},         KernelEntry{"aten.alias_copy.default", copy_view},
    KernelEntry{"aten.detach_copy.default", copy_view},     KernelEntry{"aten.view_copy.default", copy_view},
    KernelEntry{"aten.as_strided_copy.default", copy_view}, KernelEntry{"aten.diagonal_copy.default", copy_view},
    KernelEntry{"aten.expand_copy.default", copy_view},     KernelEntry{"aten.permute_copy.default", copy_view},
    KernelEntry{"aten.select_copy.int", copy_view},         KernelEntry{"aten.slice_copy.Tensor", copy_view},
    KernelEntry{"aten.squeeze_copy.default", copy_view},    KernelEntry{"aten.squeeze_copy.dim", copy_view},
    KernelEntry{"aten.t_copy.default", copy_view},          KernelEntry{"aten.transpose_copy.int", copy_view},
    KernelEntry{"aten.unfold_copy.default", copy_view},     KernelEntry{"aten.unsqueeze_copy.default", copy_view},
};

}  // namespace

std::span<const KernelEntry> copy_kernels() { return table; }

}  // namespace parallax::portable
