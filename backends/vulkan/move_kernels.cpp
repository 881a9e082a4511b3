// Copies, casts and everything else that only puts elements elsewhere: a program for each move.
#include <algorithm>

#include "backends/moves.h"
#include "backends/vulkan/kernel.h"

namespace parallax::vulkan {
namespace {

bool takes_move(const Call& call, const TensorMeta& result) { return moves_of(call, result.layout).has_value(); }

// The whole storage of an operand, as bytes.
void clone_gaps(const KernelCall& call) {
  const Layout& to = *call.output().layout;
  if ((is_dense(to) && to.offset == 0) || *call.input(0).layout != to) return;
  const Layout bytes = contiguous_layout({to.extent() * size_of(call.output().dtype)});
  const auto as_bytes = [&](const TensorRef& tensor) { return TensorRef{tensor.storage, DType::U8, &bytes}; };
  call.move(as_bytes(call.input(0)), bytes, as_bytes(call.output()), bytes);
}

Result<void> move(const KernelCall& call) {
  const TensorRef& output = call.output();
  const std::optional<MoveList> list = moves_of(call, *output.layout);
  PARALLAX_CHECK(list.has_value());
  if (list->clones_gaps) clone_gaps(call);
  for (const Move& move : list->moves) {
    const TensorRef& from = call.ref(move.from);
    if (is_in_place({from.storage, from.dtype, &move.source}, {output.storage, output.dtype, &move.target})) continue;
    call.move(from, move.source, output, move.target);
  }
  return {};
}

constexpr auto row(std::string_view op) { return KernelRow{op, takes_move, move}; }

constexpr std::array rows = {
    row("aten.clone.default"),
    row("aten.lift_fresh_copy.default"),
    row("aten._to_copy.default"),
    row("aten.to.dtype"),
    row("aten.contiguous.default"),
    row("aten.reshape.default"),
    row("aten.flatten.using_ints"),
    row("aten.copy.default"),
    row("aten.copy_.default"),
    row("aten.alias_copy.default"),
    row("aten.detach_copy.default"),
    row("aten.view_copy.default"),
    row("aten.as_strided_copy.default"),
    row("aten.diagonal_copy.default"),
    row("aten.expand_copy.default"),
    row("aten.permute_copy.default"),
    row("aten.select_copy.int"),
    row("aten.slice_copy.Tensor"),
    row("aten.squeeze_copy.default"),
    row("aten.squeeze_copy.dim"),
    row("aten.t_copy.default"),
    row("aten.transpose_copy.int"),
    row("aten.unfold_copy.default"),
    row("aten.unsqueeze_copy.default"),
    row("aten.cat.default"),
    row("aten.stack.default"),
    row("aten.slice_scatter.default"),
    row("aten.select_scatter.default"),
    row("aten.diagonal_scatter.default"),
    row("aten.as_strided_scatter.default"),
    row("aten.flip.default"),
    row("aten.roll.default"),
    row("aten.repeat.default"),
};

}  // namespace

std::span<const KernelRow> move_kernels() { return rows; }

}  // namespace parallax::vulkan
