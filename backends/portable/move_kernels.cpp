// Copies, casts, joins and reorderings: ops made of moves (backends/moves.h), and the calls of them that are not.
#include "backends/portable/move_kernels.h"

#include <algorithm>

#include "backends/moves.h"
#include "backends/portable/kernel.h"
#include "ops/fresh_layout.h"
#include "ops/registry.h"

namespace parallax::portable {
namespace {

void make(const KernelCall& call, const Move& move, std::size_t k = 0) {
  const TensorRef& from = call.ref(move.from);
  const TensorRef& to = call.output(k);
  // Whether a number is true is asked of the number itself: 0.5 is, and its integer part is not.
  const DType compute = to.dtype == DType::Bool ? from.dtype : to.dtype;
  with_compute_type(compute, [&]<class C>(std::type_identity<C>) {
    Numbers<C> values = call.numbers<C>(move.source.numel());
    read_elements(from, move.source, values.data());
    write_elements(to, move.target, values.data());
  });
}

// as_strided_scatter where the result has another layout than the operand: each element that is named by its place in
// the operand's storage is looked up by its place in the operand. An expanded operand is made dense first, and the part
// lies in that.
void scatter_by_place(const KernelCall& call) {
  const Layout& given = *call.input(arg::self).layout;
  const Layout self = is_expanded(given) ? *fresh_layout(given, MemoryFormat::Preserve) : given;
  const auto size = Dims(std::span<const int64_t>(call.integers(arg::size)));
  const auto stride = Dims(std::span<const int64_t>(call.integers(arg::stride)));
  const Layout part{size, stride, call.has(arg::storage_offset) ? call.integer(arg::storage_offset) : self.offset};
  const DType dtype = call.output().dtype;
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    Numbers<C> values = call.operand<C>(arg::self, dtype);
    // By element of the storage: its row-major place in the operand, counted from 1.
    Numbers<int64_t> places = call.numbers<int64_t>(std::max(self.extent(), part.extent()));
    int64_t place = 0;
    for_each_element(self, [&](int64_t element) { places[static_cast<std::size_t>(element)] = ++place; });
    const Numbers<C> source = call.broadcast<C>(call.input(arg::src), size, dtype);
    std::size_t next = 0;
    for_each_element(part, [&](int64_t element) {
      const int64_t at = places[static_cast<std::size_t>(element)];
      if (at > 0) values[static_cast<std::size_t>(at - 1)] = source[next];
      ++next;
    });
    call.write(values);
  });
}

// roll over all elements in row-major order, which no layout of the operand or the result has.
void roll_flattened(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    Numbers<C> values = call.operand<C>(arg::self, dtype);
    const auto size = static_cast<int64_t>(values.size());
    if (size == 0) return;
    const int64_t shift = ((call.integers(arg::shifts).front() % size) + size) % size;
    std::ranges::rotate(values, values.end() - shift);
    call.write(values);
  });
}

Result<void> move(const KernelCall& call) {
  const TensorRef& output = call.output();
  const std::optional<MoveList> list = moves_of(call, *output.layout);
  if (!list) {
    static const Op& roll = op_named("aten.roll.default");
    (&call.op() == &roll ? roll_flattened : scatter_by_place)(call);
    return {};
  }
  if (list->clones_gaps) call.clone_gaps(arg::self);
  for (const Move& move : list->moves) {
    const TensorRef& from = call.ref(move.from);
    if (is_in_place({from.storage, from.dtype, &move.source}, {output.storage, output.dtype, &move.target})) continue;
    make(call, move);
  }
  return {};
}

// The copying twin of a view op with several results: what each of its views would show.
Result<void> copy_views(const KernelCall& call) {
  const Op& view = *call.op().view_twin;
  TRY(const std::vector<ResultMeta> shown, view.infer(Call(view, call.arguments(), call.metas())));
  for (std::size_t k = 0; k < call.output_count(); ++k) {
    make(call, {call.value(arg::self), shown[k].layout, *call.output(k).layout}, k);
  }
  return {};
}

// The bytes of the operand, in row-major order, as elements of the result.
Result<void> cast_bits(const KernelCall& call) {
  const TensorRef& from = call.input(arg::self);
  const TensorRef& to = call.output();
  Tensor elements = gather(from.dtype, *from.layout, from.storage);
  elements.dtype = to.dtype;
  elements.sizes = to.layout->sizes;
  scatter(elements, *to.layout, to.storage);
  return {};
}

}  // namespace

std::span<const KernelEntry> move_kernels() {
  static const std::vector<KernelEntry> table = [] {
    std::vector<KernelEntry> made = {{"aten.split_copy.Tensor", copy_views},
                                     {"aten.split_with_sizes_copy.default", copy_views},
                                     {"aten.unbind_copy.int", copy_views},
                                     {"aten.view_copy.dtype", cast_bits}};
    for (const std::string_view op : ops_made_of_moves()) made.push_back({op, move});
    return made;
  }();
  return table;
}

bool joins_in_place(const Op& op) {
  static const Op& cat = op_named("aten.cat.default");
  return &op == &cat;
}

}  // namespace parallax::portable
