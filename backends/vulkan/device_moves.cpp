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
  if ((is_dense(to) && to.offset == 0) || *call.input(0).layout != to) return;
  const Layout bytes = contiguous_layout({to.extent() * size_of(call.output().dtype)});
  const auto as_bytes = [&](const TensorRef& tensor) { return TensorRef{tensor.storage, DType::U8, &bytes}; };
  call.move(as_bytes(call.input(0)), bytes, as_bytes(call.output()), bytes);
}

// Where neither side can be seen with the other's sizes, by way of memory in which both can.
Result<void> move_by_way(const KernelCall& call, const TensorRef& from, const Layout& source, const TensorRef& to,
                         const Layout& target) {
  const Layout in = contiguous_layout(source.sizes);
  const Layout out = contiguous_layout(target.sizes);
  TensorRef between{nullptr, to.dtype, &in};
  TRY(between.storage, call.recorder().scratch(in.numel() * size_of(to.dtype)));
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

}  // namespace

std::span<const KernelRow> move_kernels() {
  static const std::vector<KernelRow> rows = [] {
    std::vector<KernelRow> made;
    for (const std::string_view op : ops_made_of_moves()) made.push_back({op, takes_move, move});
    return made;
  }();
  return rows;
}

}  // namespace parallax::vulkan
