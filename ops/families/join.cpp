// Joins: several tensors side by side along a dim, old or new.
#include <algorithm>
#include <array>

#include "ops/copying.h"
#include "ops/families.h"
#include "ops/fresh_layout.h"
#include "ops/sample.h"
#include "ops/view_layout.h"

namespace parallax {
namespace {

// cat leaves out 1-D tensors without elements, whatever the others' shape: a habit from before there were empty shapes.
bool is_skipped(const Layout& layout) { return layout.rank() == 1 && layout.sizes[0] == 0; }

std::vector<Layout> layouts_of(const Call& call, const ValueList& tensors) {
  std::vector<Layout> layouts;
  for (ValueId tensor : tensors) layouts.push_back(call.meta(tensor).layout);
  return layouts;
}

DType promoted(const Call& call, const ValueList& tensors) {
  DType dtype = call.meta(tensors.front()).dtype;
  for (ValueId tensor : tensors) dtype = promote(dtype, call.meta(tensor).dtype);
  return dtype;
}

// The shape that decides a cat's result: the first that is not skipped, or null.
const Layout* leading(std::span<const Layout> layouts) {
  const auto found = std::find_if_not(layouts.begin(), layouts.end(), is_skipped);
  return found == layouts.end() ? nullptr : &*found;
}

Result<Layout> cat_layout(std::span<const Layout> layouts, int64_t dim) {
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    if (layouts[i].rank() == 0) return fail("tensor {} of the list is 0-d", i);
  }
  const Layout* first = leading(layouts);
  if (first == nullptr) return contiguous_layout({0});
  TRY(const int at, wrap_dim(dim, first->rank()));
  Layout result{first->sizes, {}, 0};
  result.sizes[at] = 0;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    if (is_skipped(layouts[i])) continue;
    Dims expected = first->sizes;
    if (layouts[i].rank() == first->rank()) expected[at] = layouts[i].sizes[at];
    if (layouts[i].sizes != expected) {
      return fail("tensor {} of shape [{}] does not fit [{}] along dim {}", i, to_string(layouts[i].sizes),
                  to_string(first->sizes), at);
    }
    result.sizes[at] += layouts[i].sizes[at];
  }
  return fresh_layout(result, common_format(layouts));
}

Metas infer_cat(const Call& call) {
  const ValueList& tensors = call.values(arg::tensors);
  if (tensors.empty()) return fail("{}: the list of tensors is empty", call.op().name);
  const Result<Layout> layout = cat_layout(layouts_of(call, tensors), call.integer(arg::dim));
  if (!layout) return in_op(call, layout.error());
  return std::vector{ResultMeta{promoted(call, tensors), *layout, ValueId()}};
}

Result<void> reference_cat(const ReferenceCall& call) {
  const BallView& output = call.output();
  const std::vector<Layout> layouts = layouts_of(call, call.values(arg::tensors));
  if (leading(layouts) == nullptr) return {};
  TRY(const int dim, wrap_dim(call.integer(arg::dim), output.layout.rank()));
  Layout part = output.layout;
  for (ValueId tensor : call.values(arg::tensors)) {
    const BallView& input = call.view(tensor);
    if (is_skipped(input.layout)) continue;
    part.sizes[dim] = input.layout.sizes[dim];
    copy_elements(input, with_layout(output, part), call.profile());
    part.offset += part.sizes[dim] * part.strides[dim];
  }
  return {};
}

// Eager makes stack from cat: of the tensors themselves where the new dim can be split off by a view, else of
// unsqueezed ones.
Result<Layout> stack_layout(std::vector<Layout> layouts, int64_t dim) {
  const Dims& sizes = layouts.front().sizes;
  TRY(const Layout unsqueezed, unsqueeze_layout(layouts.front(), dim));
  TRY(const int at, wrap_dim(dim, unsqueezed.rank()));
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    if (layouts[i].sizes == sizes) continue;
    return fail("tensor {} has shape [{}], the first [{}]", i, to_string(layouts[i].sizes), to_string(sizes));
  }
  if (at == sizes.size()) {
    for (Layout& layout : layouts) {
      TRY(layout, unsqueeze_layout(layout, at));
    }
    return cat_layout(layouts, at);
  }
  Dims stacked = sizes;
  stacked.insert(at, static_cast<int64_t>(layouts.size()));
  TRY(const Layout joined, cat_layout(layouts, at));
  return view_layout(joined, stacked);
}

Metas infer_stack(const Call& call) {
  const ValueList& tensors = call.values(arg::tensors);
  if (tensors.empty()) return fail("{}: the list of tensors is empty", call.op().name);
  const Result<Layout> layout = stack_layout(layouts_of(call, tensors), call.integer(arg::dim));
  if (!layout) return in_op(call, layout.error());
  return std::vector{ResultMeta{promoted(call, tensors), *layout, ValueId()}};
}

Result<void> reference_stack(const ReferenceCall& call) {
  const BallView& output = call.output();
  const ValueList& tensors = call.values(arg::tensors);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    TRY(const Layout part, select_layout(output.layout, call.integer(arg::dim), static_cast<int64_t>(i)));
    copy_elements(call.view(tensors[i]), with_layout(output, part), call.profile());
  }
  return {};
}

constexpr int64_t max_joined_elements = 512;

// One to three tensors of the dtype of the first; `fits` compares a shape with the first one's.
template <class Fits>
ValueList draw_list(SampleContext& context, ValueId first, Fits&& fits) {
  const TensorMeta& meta = context.meta(first);
  ValueList list{first};
  constexpr std::array<uint32_t, 3> weights = {60, 25, 15};
  constexpr std::array<int, 3> further = {1, 2, 0};
  const int count = further[context.choices().weighted(weights)];
  for (int i = 0; i < count; ++i) {
    list.push_back(*context.pick([&](const Candidate&, const TensorMeta& other) {
      return other.dtype == meta.dtype && fits(other.layout.sizes);
    }));
  }
  return list;
}

std::optional<ValueId> pick_first(SampleContext& context, int least_rank, int most_rank) {
  return context.pick([=](const Candidate&, const TensorMeta& meta) {
    return meta.layout.rank() >= least_rank && meta.layout.rank() <= most_rank &&
           meta.layout.numel() <= max_joined_elements;
  });
}

Drawn sample_cat(const Op&, SampleContext& context) {
  const auto first = pick_first(context, 1, max_rank);
  if (!first) return std::nullopt;
  const Dims& sizes = context.meta(*first).layout.sizes;
  const int64_t dim = draw_dim(context.choices(), sizes.size());
  const int at = static_cast<int>(dim < 0 ? dim + sizes.size() : dim);
  ValueList list = draw_list(context, *first, [&](const Dims& other) {
    if (other.size() != sizes.size() || other[at] > max_joined_elements) return false;
    Dims expected = sizes;
    expected[at] = other[at];
    return other == expected;
  });
  return std::vector<Argument>{std::move(list), Scalar(dim)};
}

Drawn sample_stack(const Op&, SampleContext& context) {
  const auto first = pick_first(context, 0, 4);
  if (!first) return std::nullopt;
  const Dims& sizes = context.meta(*first).layout.sizes;
  const int64_t dim = draw_dim(context.choices(), sizes.size() + 1);
  ValueList list = draw_list(context, *first, [&](const Dims& other) { return other == sizes; });
  return std::vector<Argument>{std::move(list), Scalar(dim)};
}

}  // namespace

std::vector<OpDef> join_family() {
  return {
      {.schema = "cat(Tensor[] tensors, int dim=0) -> Tensor",
       .infer = infer_cat,
       .reference = reference_cat,
       .sample = sample_cat},
      {.schema = "stack(Tensor[] tensors, int dim=0) -> Tensor",
       .infer = infer_stack,
       .reference = reference_stack,
       .sample = sample_stack},
  };
}

}  // namespace parallax
