// Copies, casts and everything else that only puts elements elsewhere: a program for each move.
#include <algorithm>

#include "backends/moves.h"
#include "backends/vulkan/device_kernel.h"

namespace parallax::vulkan {
namespace {

bool takes_move(const Call& call, const TensorMeta& result) { return moves_of(call, result.layout).has_value(); }

// The whole storage of an operand, as bytes.
void clone_gaps(const KernelCall& call) {
  const Layout& to = *call.output().layout;
  if ((is_dense(to) && to.offset == 0) || *call.input(arg::self).layout != to) return;
  const Layout bytes = contiguous_layout({to.extent() * size_of(call.output().dtype)});
  const auto as_bytes = [&](const TensorRef& tensor) { return TensorRef{tensor.storage, DType::U8, &bytes}; };
  call.move(as_bytes(call.input(arg::self)), bytes, as_bytes(call.output()), bytes);
}

// Where neither side can be seen with the other's sizes, by way of memory in which both can.
Result<void> move_by_way(const KernelCall& call, const TensorRef& from, const Layout& source, const TensorRef& to,
                         const Layout& target) {
  const Layout in = contiguous_layout(source.sizes);
  const Layout out = contiguous_layout(target.sizes);
  TRY(const TensorRef between, call.scratch(to.dtype, in));
  call.move(from, source, between, in);
  call.move(between, out, to, target);
  return {};
}

Result<void> move(const KernelCall& call) {
  const TensorRef& output = call.output();
  const std::optional<MoveList> list = moves_of(call, *output.layout);
  PARALLAX_CHECK(list.has_value());
  if (list->clones_gaps) clone_gaps(call);
  for (const Move& move : list->moves) {
    const TensorRef& from = call.ref(move.from);
    if (is_in_place({from.storage, from.dtype, &move.source}, {output.storage, output.dtype, &move.target})) continue;
    if (move.source.sizes == move.target.sizes) {
      call.move(from, move.source, output, move.target);
    } else {
      TRY_VOID(move_by_way(call, from, move.source, output, move.target));
    }
  }
  return {};
}

// The copying twin of a view op with several results: what each of its views would show.
Result<void> copy_views(const KernelCall& call) {
  const Op& view = *call.op().view_twin;
  TRY(const std::vector<ResultMeta> shown, view.infer(Call(view, call.arguments(), call.metas())));
  for (std::size_t k = 0; k < shown.size(); ++k) {
    const TensorRef& output = call.output(static_cast<int>(k));
    call.move(call.input(arg::self), shown[k].layout, output, *output.layout);
  }
  return {};
}

// repeat_interleave(self, repeats, dim): each element is followed by itself in a dim of its own, which is merged with
// the one that is repeated; without a dim with all.
Result<void> repeat_elements(const KernelCall& call) {
  const TensorRef& output = call.output();
  const int64_t repeats = call.integer(arg::repeats);
  Layout from = *call.input(arg::self).layout;
  Layout to = contiguous_layout(from.sizes);
  int dim = from.rank() - 1;
  if (call.has(arg::dim) && from.rank() > 0) {
    dim = portable::wrapped_dim(call.integer(arg::dim), from.rank());
    to = *output.layout;
    to.sizes[dim] = from.sizes[dim];
  } else {
    to.offset = output.layout->offset;
    for (int64_t& stride : to.strides) stride *= output.layout->strides[0];
  }
  const int64_t step = dim < 0 ? 1 : to.strides[dim];
  if (call.has(arg::dim) && dim >= 0) {
    to.strides[dim] *= repeats;
  } else {
    for (int64_t& stride : to.strides) stride *= repeats;
  }
  for (Layout* layout : {&from, &to}) layout->sizes.insert(dim + 1, repeats);
  from.strides.insert(dim + 1, 0);
  to.strides.insert(dim + 1, step);
  call.move(call.input(arg::self), from, output, to);
  return {};
}

bool takes_one_more_dim(const Call& call, const TensorMeta&) { return call.tensor(arg::self).layout.rank() < max_rank; }

}  // namespace

std::span<const KernelRow> move_kernels() {
  static const std::vector<KernelRow> rows = [] {
    std::vector<KernelRow> made = {
        {"aten.split_copy.Tensor", takes_any, copy_views},
        {"aten.split_with_sizes_copy.default", takes_any, copy_views},
        {"aten.unbind_copy.int", takes_any, copy_views},
        {"aten.repeat_interleave.self_int", takes_one_more_dim, repeat_elements},
    };
    for (const std::string_view op : ops_made_of_moves()) made.push_back({op, takes_move, move});
    return made;
  }();
  return rows;
}

}  // namespace parallax::vulkan
