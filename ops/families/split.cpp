// Splits: one view for each part of a dim.
#include <algorithm>

#include "ops/families.h"
#include "ops/sample.h"
#include "ops/view_layout.h"
#include "ops/view_sample.h"

namespace parallax {
namespace {

// A list of more results than this is a mistake in the input, not a graph.
constexpr int64_t max_parts = 1 << 16;

using LayoutsFn = Result<std::vector<Layout>> (*)(const Call& call);

template <LayoutsFn layouts_of>
Result<std::vector<ResultMeta>> infer_list(const Call& call) {
  const Result<std::vector<Layout>> layouts = layouts_of(call);
  if (!layouts) return in_op(call, layouts.error());
  std::vector<ResultMeta> results;
  for (const Layout& layout : *layouts)
    results.push_back({call.tensor(arg::self).dtype, layout, call.value(arg::self)});
  return results;
}

Result<void> check_parts(int64_t parts) {
  if (parts > max_parts) return fail("{} parts are over the limit of {}", parts, max_parts);
  return {};
}

// Parts of `part` elements each, the last one smaller where they do not fit evenly; an empty dim is one empty part.
Result<std::vector<Layout>> equal_parts(const Layout& layout, int dim, int64_t part) {
  const int64_t size = layout.sizes[dim];
  const int64_t parts = size == 0 ? 1 : (size - 1) / part + 1;
  TRY_VOID(check_parts(parts));
  IntList sizes(static_cast<std::size_t>(parts), part);
  sizes.back() = size == 0 ? 0 : size - (parts - 1) * part;
  return split_layouts(layout, dim, sizes);
}

Result<std::vector<Layout>> split(const Call& call) {
  const Layout& layout = call.tensor(arg::self).layout;
  const int64_t part = call.integer(arg::split_size);
  TRY(const int dim, existing_dim(call.integer(arg::dim), layout.rank()));
  if (part < 0) return fail("split size {} is negative", part);
  if (part == 0 && layout.sizes[dim] > 0) return fail("split size 0 for dim {} of size {}", dim, layout.sizes[dim]);
  return equal_parts(layout, dim, part);
}

Result<std::vector<Layout>> chunk(const Call& call) {
  const Layout& layout = call.tensor(arg::self).layout;
  const int64_t chunks = call.integer(arg::chunks);
  TRY(const int dim, existing_dim(call.integer(arg::dim), layout.rank()));
  if (chunks <= 0) return fail("{} chunks are not at least 1", chunks);
  const int64_t size = layout.sizes[dim];
  if (size > 0) return equal_parts(layout, dim, (size - 1) / chunks + 1);
  TRY_VOID(check_parts(chunks));
  return split_layouts(layout, dim, IntList(static_cast<std::size_t>(chunks), 0));
}

Result<std::vector<Layout>> split_with_sizes(const Call& call) {
  const Layout& layout = call.tensor(arg::self).layout;
  const IntList& sizes = call.integers(arg::split_sizes);
  TRY(const int dim, existing_dim(call.integer(arg::dim), layout.rank()));
  int64_t rest = layout.sizes[dim];
  for (int64_t size : sizes) {
    if (size < 0) return fail("split size {} is negative", size);
    if (size > rest) return fail("the split sizes pass dim {} of size {}", dim, layout.sizes[dim]);
    rest -= size;
  }
  if (rest > 0) return fail("the split sizes leave {} of dim {} of size {}", rest, dim, layout.sizes[dim]);
  return split_layouts(layout, dim, sizes);
}

Result<std::vector<Layout>> unbind(const Call& call) {
  const Layout& layout = call.tensor(arg::self).layout;
  TRY(const int dim, existing_dim(call.integer(arg::dim), layout.rank()));
  TRY_VOID(check_parts(layout.sizes[dim]));
  std::vector<Layout> parts;
  for (int64_t i = 0; i < layout.sizes[dim]; ++i) {
    TRY(parts.emplace_back(), select_layout(layout, dim, i));
  }
  return parts;
}

// A value and a dim of 1 to 8 elements, so that the list stays short.
struct SplitOperand {
  ValueId self;
  int64_t dim = 0;
  int64_t size = 0;
};

std::optional<SplitOperand> pick_operand(const SampleContext& context) {
  constexpr int64_t longest = 8;
  const auto splittable = [](int64_t size) { return size >= 1 && size <= longest; };
  const auto self = context.pick([&](const Candidate&, const TensorMeta& meta) {
    return std::any_of(meta.layout.sizes.begin(), meta.layout.sizes.end(), splittable);
  });
  if (!self) return std::nullopt;
  const Dims& sizes = context.meta(*self).layout.sizes;
  std::vector<int> dims;
  for (int i = 0; i < sizes.size(); ++i) {
    if (splittable(sizes[i])) dims.push_back(i);
  }
  const int dim = context.choices().pick(dims);
  return SplitOperand{*self, context.choices().chance(20) ? dim - sizes.size() : dim, sizes[dim]};
}

Drawn sample_split(const Op&, SampleContext& context) {
  const auto operand = pick_operand(context);
  if (!operand) return std::nullopt;
  const int64_t part = context.choices().between(1, operand->size);
  return std::vector<Argument>{operand->self, integer_argument(part), integer_argument(operand->dim)};
}

Drawn sample_chunk(const Op&, SampleContext& context) {
  const auto operand = pick_operand(context);
  if (!operand) return std::nullopt;
  const int64_t chunks = context.choices().between(1, std::min<int64_t>(operand->size + 1, 4));
  return std::vector<Argument>{operand->self, integer_argument(chunks), integer_argument(operand->dim)};
}

Drawn sample_split_with_sizes(const Op&, SampleContext& context) {
  const auto operand = pick_operand(context);
  if (!operand) return std::nullopt;
  return std::vector<Argument>{operand->self, draw_partition(context.choices(), operand->size),
                               integer_argument(operand->dim)};
}

Drawn sample_unbind(const Op&, SampleContext& context) {
  const auto operand = pick_operand(context);
  if (!operand) return std::nullopt;
  return std::vector<Argument>{operand->self, integer_argument(operand->dim)};
}

}  // namespace

std::vector<OpDef> split_family() {
  return {
      {.schema = "split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]",
       .infer = infer_list<split>,
       .sample = sample_split},
      {.schema = "split_with_sizes(Tensor(a -> *) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]",
       .infer = infer_list<split_with_sizes>,
       .sample = sample_split_with_sizes},
      {.schema = "chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]",
       .infer = infer_list<chunk>,
       .sample = sample_chunk},
      {.schema = "unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]",
       .infer = infer_list<unbind>,
       .sample = sample_unbind},
  };
}

}  // namespace parallax
