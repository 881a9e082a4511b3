#include "backends/moves.h"

#include <algorithm>
#include <array>

namespace parallax {
namespace {

// The part of a layout with `dim` cut to elements start, start + step, … (so many of them).
Layout cut(Layout layout, int dim, int64_t start, int64_t count, int64_t step = 1) {
  layout.offset += start * layout.strides[dim];
  layout.sizes[dim] = count;
  layout.strides[dim] *= step;
  return layout;
}

Layout without(Layout layout, int dim) {
  layout.sizes.erase(dim);
  layout.strides.erase(dim);
  return layout;
}

// The operand, broadcast to the part that it goes to.
Move move_to(const Call& call, ValueId from, const Layout& part) {
  const std::optional<Layout> source = broadcast_to(call.meta(from).layout, part.sizes);
  PARALLAX_CHECK(source.has_value());
  return {from, *source, part};
}

std::optional<MoveList> copy(const Call& call, const Layout& result) {
  return MoveList{false, {{call.value(arg::self), call.tensor(arg::self).layout, result}}};
}

// copy_(self, src)
std::optional<MoveList> copy_source(const Call& call, const Layout& result) {
  return MoveList{false, {move_to(call, call.value(arg::src), result)}};
}

// copy(self, src): a clone of self's storage, then src.
std::optional<MoveList> clone_and_copy(const Call& call, const Layout& result) {
  return MoveList{true, {move_to(call, call.value(arg::src), result)}};
}

// An op that only reshapes: the operand's elements in its own row-major order. Sizes are the same on both sides where
// one of the two can be seen with the other's.
std::optional<MoveList> reshape(const Call& call, const Layout& result) {
  const Layout& operand = call.tensor(arg::self).layout;
  Move move{call.value(arg::self), operand, result};
  if (const std::optional<Dims> strides = view_strides(operand, result.sizes)) {
    move.source = {result.sizes, *strides, operand.offset};
  } else if (const std::optional<Dims> seen = view_strides(result, operand.sizes)) {
    move.target = {operand.sizes, *seen, result.offset};
  }
  return MoveList{false, {move}};
}

// The copying twin of a view op: what the view would show. The twins that only reshape also take operands that have no
// such view.
std::optional<MoveList> copy_view(const Call& call, const Layout& result) {
  Layout layout = call.tensor(arg::self).layout;
  if (const Op* view = call.op().view_twin) {
    const Result<std::vector<ResultMeta>> shown = view->infer(Call(*view, call.arguments(), call.metas()));
    if (shown) layout = shown->front().layout;
  }
  return MoveList{false, {{call.value(arg::self), layout, result}}};
}

std::optional<MoveList> cat(const Call& call, const Layout& result) {
  MoveList list;
  int64_t start = 0;
  for (ValueId value : call.values(arg::tensors)) {
    const Layout& tensor = call.meta(value).layout;
    // An empty 1-d tensor fits in everywhere and adds nothing.
    if (tensor.numel() == 0) continue;
    const int dim = portable::wrapped_dim(call.integer(arg::dim), result.rank());
    list.moves.push_back(move_to(call, value, cut(result, dim, start, tensor.sizes[dim])));
    start += tensor.sizes[dim];
  }
  return list;
}

std::optional<MoveList> stack(const Call& call, const Layout& result) {
  MoveList list;
  const int dim = portable::wrapped_dim(call.integer(arg::dim), result.rank());
  int64_t start = 0;
  for (ValueId value : call.values(arg::tensors)) {
    list.moves.push_back(move_to(call, value, without(cut(result, dim, start++, 1), dim)));
  }
  return list;
}

// The operand, with `src` in its part; the scatter ops name the part.
MoveList scatter_into(const Call& call, const Layout& result, const Layout& part) {
  return {true, {move_to(call, call.value(arg::self), result), move_to(call, call.value(arg::src), part)}};
}

std::optional<MoveList> slice_scatter(const Call& call, const Layout& result) {
  const int dim = portable::wrapped_dim(call.integer(arg::dim), result.rank());
  const int64_t size = result.sizes[dim];
  const auto bound = [&](arg name, int64_t otherwise) {
    const int64_t at = call.has(name) ? call.integer(name) : otherwise;
    return std::clamp<int64_t>(at < 0 ? at + size : at, 0, size);
  };
  const int64_t start = bound(arg::start, 0);
  const int64_t end = std::max(start, bound(arg::end, size));
  const int64_t step = call.integer(arg::step);
  return scatter_into(call, result, cut(result, dim, start, (end - start + step - 1) / step, step));
}

std::optional<MoveList> select_scatter(const Call& call, const Layout& result) {
  const int dim = portable::wrapped_dim(call.integer(arg::dim), result.rank());
  const int64_t index = call.integer(arg::index);
  return scatter_into(call, result, without(cut(result, dim, index < 0 ? index + result.sizes[dim] : index, 1), dim));
}

std::optional<MoveList> diagonal_scatter(const Call& call, const Layout& result) {
  Layout part = result;
  const int64_t offset = call.integer(arg::offset);
  const int first = portable::wrapped_dim(call.integer(arg::dim1), part.rank());
  const int second = portable::wrapped_dim(call.integer(arg::dim2), part.rank());
  const int64_t rows = part.sizes[first] - std::max<int64_t>(-offset, 0);
  const int64_t columns = part.sizes[second] - std::max<int64_t>(offset, 0);
  const int64_t length = std::max<int64_t>(std::min(rows, columns), 0);
  const int64_t stride = part.strides[first] + part.strides[second];
  part.offset += offset >= 0 ? offset * part.strides[second] : -offset * part.strides[first];
  part = without(without(part, std::max(first, second)), std::min(first, second));
  part.sizes.push_back(length);
  part.strides.push_back(stride);
  return scatter_into(call, result, part);
}

// The part is named by elements of the operand's storage, which are those of the result's where the layouts agree.
std::optional<MoveList> as_strided_scatter(const Call& call, const Layout& result) {
  const Layout& self = call.tensor(arg::self).layout;
  const auto size = Dims(std::span<const int64_t>(call.integers(arg::size)));
  const auto stride = Dims(std::span<const int64_t>(call.integers(arg::stride)));
  const Layout part{size, stride, call.has(arg::storage_offset) ? call.integer(arg::storage_offset) : self.offset};
  if (result != self || part.extent() > self.extent()) return std::nullopt;
  return scatter_into(call, result, part);
}

std::optional<MoveList> flip(const Call& call, const Layout& result) {
  Layout mirrored = call.tensor(arg::self).layout;
  for (int64_t named : call.integers(arg::dims)) {
    if (mirrored.rank() == 0) continue;
    const int dim = portable::wrapped_dim(named, mirrored.rank());
    mirrored.offset += (mirrored.sizes[dim] - 1) * mirrored.strides[dim];
    mirrored.strides[dim] = -mirrored.strides[dim];
  }
  return MoveList{false, {{call.value(arg::self), mirrored, result}}};
}

// Along each dim what goes over the end comes in at the front: two pieces a dim.
std::optional<MoveList> roll(const Call& call, const Layout& result) {
  Layout source = call.tensor(arg::self).layout;
  Layout target = result;
  IntList dims = call.integers(arg::dims);
  if (dims.empty()) {
    if (!is_contiguous(source) || !is_contiguous(target)) return std::nullopt;
    source = {{source.numel()}, {1}, source.offset};
    target = {{target.numel()}, {1}, target.offset};
    dims = {0};
  }
  MoveList list{false, {{call.value(arg::self), source, target}}};
  if (source.numel() == 0 || source.rank() == 0) return list;
  Dims shifts = Dims::filled(source.rank(), 0);  // a dim may be named twice
  for (std::size_t k = 0; k < dims.size(); ++k) {
    const int dim = portable::wrapped_dim(dims[k], source.rank());
    shifts[dim] =
        (shifts[dim] + call.integers(arg::shifts)[k] % source.sizes[dim] + source.sizes[dim]) % source.sizes[dim];
  }
  for (int dim = 0; dim < source.rank(); ++dim) {
    const int64_t size = source.sizes[dim];
    const int64_t shift = shifts[dim];
    if (shift == 0) continue;
    std::vector<Move> pieces;
    for (const Move& whole : list.moves) {
      const auto piece = [&](int64_t from, int64_t to, int64_t count) {
        pieces.push_back({whole.from, cut(whole.source, dim, from, count), cut(whole.target, dim, to, count)});
      };
      piece(0, shift, size - shift);
      piece(size - shift, 0, shift);
    }
    list.moves = std::move(pieces);
  }
  return list;
}

// Each dim of the result is one of repeats over one of the operand's elements.
std::optional<MoveList> repeat(const Call& call, const Layout& result) {
  const Layout& operand = call.tensor(arg::self).layout;
  const auto repeats = Dims(std::span<const int64_t>(call.integers(arg::repeats)));
  const int added = repeats.size() - operand.rank();
  // What no layout has room for is done piece by piece.
  Layout corners{{}, {}, result.offset};
  Layout source{{}, {}, operand.offset};
  Layout target{{}, {}, 0};
  const auto add = [](Layout& layout, int64_t size, int64_t stride) {
    layout.sizes.insert(0, size);
    layout.strides.insert(0, stride);
  };
  for (int dim = repeats.size() - 1; dim >= 0; --dim) {
    const int64_t size = dim < added ? 1 : operand.sizes[dim - added];
    if (size != 1) {
      if (source.rank() == max_rank) return std::nullopt;
      add(source, size, operand.strides[dim - added]);
      add(target, size, result.strides[dim]);
    }
    if (repeats[dim] == 1) continue;
    const int64_t step = size * result.strides[dim];
    if (source.rank() + dim + 1 <= max_rank) {
      add(source, repeats[dim], 0);
      add(target, repeats[dim], step);
    } else {
      add(corners, repeats[dim], step);
    }
  }
  MoveList list;
  for_each_element(corners, [&](int64_t corner) {
    target.offset = corner;
    list.moves.push_back({call.value(arg::self), source, target});
  });
  return list;
}

using MovesFn = std::optional<MoveList> (*)(const Call& call, const Layout& result);
struct Row {
  std::string_view op;
  MovesFn moves;
};

constexpr std::array rows = {
    Row{"aten.clone.default", copy},
    Row{"aten.lift_fresh_copy.default", copy},
    Row{"aten._to_copy.default", copy},
    Row{"aten.to.dtype", copy},
    Row{"aten.contiguous.default", copy},
    Row{"aten.copy.default", clone_and_copy},
    Row{"aten.copy_.default", copy_source},
    Row{"aten.alias_copy.default", copy_view},
    Row{"aten.detach_copy.default", copy_view},
    Row{"aten.as_strided_copy.default", copy_view},
    Row{"aten.diagonal_copy.default", copy_view},
    Row{"aten.expand_copy.default", copy_view},
    Row{"aten.permute_copy.default", copy_view},
    Row{"aten.select_copy.int", copy_view},
    Row{"aten.slice_copy.Tensor", copy_view},
    Row{"aten.squeeze_copy.default", copy_view},
    Row{"aten.squeeze_copy.dim", copy_view},
    Row{"aten.squeeze_copy.dims", copy_view},
    Row{"aten.narrow_copy.default", copy_view},
    Row{"aten.t_copy.default", copy_view},
    Row{"aten.transpose_copy.int", copy_view},
    Row{"aten.unfold_copy.default", copy_view},
    Row{"aten.unsqueeze_copy.default", copy_view},
    Row{"aten.reshape.default", reshape},
    Row{"aten.flatten.using_ints", reshape},
    Row{"aten.view_copy.default", reshape},
    Row{"aten.cat.default", cat},
    Row{"aten.stack.default", stack},
    Row{"aten.slice_scatter.default", slice_scatter},
    Row{"aten.select_scatter.default", select_scatter},
    Row{"aten.diagonal_scatter.default", diagonal_scatter},
    Row{"aten.as_strided_scatter.default", as_strided_scatter},
    Row{"aten.flip.default", flip},
    Row{"aten.roll.default", roll},
    Row{"aten.repeat.default", repeat},
};

}  // namespace

std::span<const std::string_view> ops_made_of_moves() {
  static constexpr auto names = [] {
    std::array<std::string_view, rows.size()> of_rows;
    std::ranges::transform(rows, of_rows.begin(), &Row::op);
    return of_rows;
  }();
  return names;
}

std::optional<MoveList> moves_of(const Call& call, const Layout& result) {
  const auto row = std::ranges::find(rows, call.op().name, &Row::op);
  return row == rows.end() ? std::nullopt : row->moves(call, result);
}

bool is_in_place(const portable::TensorRef& from, const portable::TensorRef& to) {
  const int64_t size = size_of(from.dtype);
  return from.dtype == to.dtype && from.layout->strides == to.layout->strides &&
         from.storage + from.layout->offset * size == to.storage + to.layout->offset * size;
}

}  // namespace parallax
