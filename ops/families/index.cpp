// Indexing by tensors: index and index_put. Their indices are data, so what is out of range shows only when they run.
#include <algorithm>
#include <vector>

#include "ops/cast.h"
#include "ops/combiner.h"
#include "ops/copying.h"
#include "ops/counted_size.h"
#include "ops/families.h"
#include "ops/fresh_layout.h"
#include "ops/index_mask.h"
#include "ops/index_plan.h"
#include "ops/indices.h"
#include "ops/sample.h"
#include "ops/view_layout.h"
#include "ops/view_sample.h"

namespace parallax {
namespace {

// A mask among the indices: vectors of coordinates as long as the call says stand in its place.
Metas infer_masked_index(const Call& call) {
  const ValueList& given = call.values(arg::indices);
  const TensorMeta& self = call.tensor(arg::self);
  TRY(const int64_t count, needed_count(call));
  if (const Result<void> checked = check_masks(call, self.layout, given); !checked) return in_op(call, checked.error());
  std::vector<TensorMeta> metas(call.metas().begin(), call.metas().end());
  std::vector<Argument> arguments(call.arguments().begin(), call.arguments().end());
  ValueList indices;
  int masks = 0;
  for (const ValueId index : given) {
    const bool is_mask = index.valid() && call.meta(index).dtype == DType::Bool;
    if (!is_mask) indices.push_back(index);
    if (!is_mask) continue;
    ++masks;
    for (int dim = 0; dim < call.meta(index).layout.rank(); ++dim) {
      indices.push_back(ValueId(metas.size()));
      metas.push_back({DType::I64, contiguous_layout({count}), StorageId()});
    }
  }
  if (masks != 1) {
    return std::unexpected(
        Error{ErrorKind::Unsupported, "", "", call.op().name + ": more than one mask is not supported"});
  }
  arguments[static_cast<std::size_t>(call.position(arg::indices))] = indices;
  const Call unmasked(call.op(), arguments, metas);
  const Result<IndexPlan> plan = plan_index(unmasked, self.layout, indices);
  if (!plan) return in_op(call, plan.error());
  return std::vector{ResultMeta{self.dtype, indexed_layout(*plan, unmasked), ValueId()}};
}

Metas infer_index(const Call& call) {
  const bool masked = has_mask(call, call.values(arg::indices));
  if (!masked && stated_count(call)) return refuse("{}: no index is a mask, which a count is of", call.op().name);
  if (masked && stated_count(call)) return infer_masked_index(call);
  const Result<IndexPlan> plan = plan_index(call, call.tensor(arg::self).layout, call.values(arg::indices));
  if (!plan) return in_op(call, plan.error());
  return std::vector{ResultMeta{call.tensor(arg::self).dtype, indexed_layout(*plan, call), ValueId()}};
}

Result<void> reference_plain_index(const ReferenceCall& call) {
  const BallView& self = call.input(arg::self);
  const BallView& output = call.output();
  TRY(const IndexPlan plan, plan_index(call, self.layout, call.values(arg::indices)));
  TRY(const std::vector<IndexedElement> from, indexed_elements(plan, call));
  const std::vector<int64_t> to = elements_of(output.layout);
  for (std::size_t i = 0; i < to.size(); ++i) {
    convert_element(self, from[i].element, output, to[i], call.profile());
    if (from[i].undecided != Undecided::No) set_undecided(output, to[i], from[i].undecided);
  }
  return {};
}

Result<void> reference_index(const ReferenceCall& call) {
  if (!has_mask(call, call.values(arg::indices))) return reference_plain_index(call);
  const UnmaskedCall unmasked(call);
  if (unmasked.undecided() == Undecided::No) return reference_plain_index(unmasked.call());
  set_all_undecided(call.output(), unmasked.undecided());
  return {};
}

Result<void> check_values(const IndexPlan& plan, const Layout& values) {
  if (broadcast_to(values, plan.source.sizes)) return {};
  return refuse("values of shape [{}] do not fit the indexed [{}]", to_string(values.sizes),
                to_string(plan.source.sizes));
}

// What can be checked before the data is known; with a mask, the values' shape cannot.
Result<void> check_put(const Call& call, const Layout& written) {
  const TensorMeta& self = call.tensor(arg::self);
  const TensorMeta& values = call.tensor(arg::values);
  if (has_mask(call, call.values(arg::indices))) {
    TRY_VOID(check_masks(call, written, call.values(arg::indices)));
  } else {
    TRY(const IndexPlan plan, plan_index(call, written, call.values(arg::indices)));
    TRY_VOID(check_values(plan, values.layout));
  }
  if (values.dtype == self.dtype) return {};
  return refuse("values of {} cannot be put into {}", name(values.dtype), name(self.dtype));
}

Metas infer_index_put(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  const Result<Layout> layout = fresh_layout(self.layout, MemoryFormat::Preserve);
  if (!layout) return in_op(call, layout.error());
  if (const Result<void> checked = check_put(call, *layout); !checked) return in_op(call, checked.error());
  return std::vector{ResultMeta{self.dtype, *layout, ValueId()}};
}

// An expanded self may be written.
Metas infer_index_put_inplace(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  if (const Result<void> checked = check_put(call, self.layout); !checked) return in_op(call, checked.error());
  TRY_VOID(check_apart(call, call.value(arg::self), call.value(arg::values)));
  for (ValueId index : call.values(arg::indices)) {
    if (index.valid()) TRY_VOID(check_apart(call, call.value(arg::self), index));
  }
  return std::vector{ResultMeta{self.dtype, self.layout, call.value(arg::self)}};
}

// Writes or adds the values; `output` holds self already.
Result<void> put_values(const ReferenceCall& call) {
  const BallView& output = call.output();
  const BallView& values = call.input(arg::values);
  TRY(const IndexPlan plan, plan_index(call, output.layout, call.values(arg::indices)));
  TRY_VOID(check_values(plan, values.layout));
  TRY(const std::vector<IndexedElement> to, indexed_elements(plan, call));
  const std::vector<int64_t> from = elements_of(*broadcast_to(values.layout, plan.source.sizes));
  for (const IndexedElement& target : to) {
    if (target.undecided == Undecided::No) continue;
    set_all_undecided(output, target.undecided);
    return {};
  }
  if (call.boolean(arg::accumulate)) {
    Combiner combiner(output, Combine::Sum, true, call.profile());
    for (std::size_t i = 0; i < to.size(); ++i) combiner.add(to[i].element, values, from[i]);
    combiner.finish();
  } else {
    UnorderedWriter writer(output, call.profile());
    for (std::size_t i = 0; i < to.size(); ++i) writer.write(to[i].element, values, from[i]);
  }
  return {};
}

Result<void> put(const ReferenceCall& call) {
  if (!has_mask(call, call.values(arg::indices))) return put_values(call);
  const UnmaskedCall unmasked(call);
  if (unmasked.undecided() != Undecided::No) {
    set_all_undecided(call.output(), unmasked.undecided());
    return {};
  }
  Result<void> done = put_values(unmasked.call());
  // What fits the shapes but not the data is refused by the data.
  if (!done) done.error().kind = ErrorKind::EagerRefuses;
  return done;
}

Result<void> reference_index_put(const ReferenceCall& call) {
  copy_elements(call.input(arg::self), call.output(), call.profile());
  return put(call);
}

std::vector<IndexRange> index_ranges(const Call& call) {
  std::vector<IndexRange> ranges;
  for (const PlacedIndex& index : placed_indices(call, call.values(arg::indices))) {
    if (call.meta(index.value).dtype == DType::Bool) continue;
    ranges.push_back({index.value, call.tensor(arg::self).layout.sizes[index.dim]});
  }
  return ranges;
}

// Results of more elements than this make a case slow, and slots of odd sizes.
constexpr int64_t most_indexed = 64;

std::optional<ValueId> pick_indexed(const Op& op, SampleContext& context) {
  return context.pick([&](const Candidate& candidate, const TensorMeta& meta) {
    return (!op.writes() || candidate.writable) && meta.layout.rank() > 0 && meta.layout.numel() > 0;
  });
}

// An index at one dim and, now and then, another one that broadcasts with it at the next.
std::optional<ValueList> draw_indices(const Op& op, SampleContext& context, const TensorMeta& self) {
  Choices& choices = context.choices();
  // A written tensor shares no memory with its indices.
  const auto apart = [&](const TensorMeta& meta) { return !op.writes() || meta.storage != self.storage; };
  const auto dim = static_cast<std::size_t>(choices.below(static_cast<uint64_t>(self.layout.rank())));
  const int64_t rest = self.layout.numel() / self.layout.sizes[static_cast<int>(dim)];
  const auto first = pick_index(context, IndexWidth::Either, [&](const TensorMeta& meta) {
    return apart(meta) && meta.layout.numel() * rest <= most_indexed &&
           meta.layout.rank() + self.layout.rank() <= max_sample_rank;
  });
  if (!first) return std::nullopt;
  ValueList indices(dim);
  indices.push_back(*first);
  if (static_cast<int>(dim) + 1 == self.layout.rank() || !choices.chance(25)) return indices;
  const Dims& sizes = context.meta(*first).layout.sizes;
  const auto second = pick_index(context, IndexWidth::Either, [&](const TensorMeta& meta) {
    return apart(meta) && broadcast_to(meta.layout, sizes).has_value();
  });
  if (second) indices.push_back(*second);
  return indices;
}

Drawn sample_index(const Op& op, SampleContext& context) {
  const auto self = pick_indexed(op, context);
  if (!self) return std::nullopt;
  std::optional<ValueList> indices = draw_indices(op, context, context.meta(*self));
  if (!indices) return std::nullopt;
  return with_defaults(op, {*self, *std::move(indices)});
}

// A mask of self's leading dims; the values then fit the dims behind it, whatever the mask chooses.
std::optional<std::pair<ValueList, Dims>> draw_mask(const Op& op, SampleContext& context, const TensorMeta& self) {
  const auto mask = context.pick([&](const Candidate&, const TensorMeta& meta) {
    const Dims& sizes = meta.layout.sizes;
    return meta.dtype == DType::Bool && (!op.writes() || meta.storage != self.storage) && !sizes.empty() &&
           sizes.size() <= self.layout.rank() && std::equal(sizes.begin(), sizes.end(), self.layout.sizes.begin());
  });
  if (!mask) return std::nullopt;
  const int covered = context.meta(*mask).layout.rank();
  return std::pair(ValueList{*mask}, Dims(std::span(self.layout.sizes.begin() + covered, self.layout.sizes.end())));
}

Drawn sample_index_put(const Op& op, SampleContext& context) {
  const auto self = pick_indexed(op, context);
  if (!self) return std::nullopt;
  const TensorMeta& meta = context.meta(*self);
  const bool masked = context.choices().chance(25);
  std::optional<std::pair<ValueList, Dims>> drawn = masked ? draw_mask(op, context, meta) : std::nullopt;
  if (!drawn) {
    std::optional<ValueList> indices = draw_indices(op, context, meta);
    if (!indices) return std::nullopt;
    const std::vector<Argument> arguments{*self, *indices};
    const Result<IndexPlan> plan = plan_index(Call(op, arguments, context.metas()), meta.layout, *indices);
    if (!plan) return std::nullopt;
    drawn.emplace(*std::move(indices), plan->source.sizes);
  }
  const ValueList& indices = drawn->first;
  const auto values = context.pick([&](const Candidate& candidate, const TensorMeta& other) {
    // A written tensor shares no memory with what is read.
    const bool apart = !op.writes() || (candidate.value != *self && other.storage != meta.storage);
    return apart && other.dtype == meta.dtype && broadcast_to(other.layout, drawn->second);
  });
  if (!values) return std::nullopt;
  return with_defaults(op, {*self, indices, *values, Scalar(context.choices().chance(40))});
}

}  // namespace

std::vector<OpDef> index_family() {
  return {
      {.schema = "index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
       .infer = infer_index,
       .reference = reference_index,
       .sample = sample_index,
       .index_ranges = index_ranges},
      {.schema = "index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor",
       .infer = infer_index_put,
       .reference = reference_index_put,
       .sample = sample_index_put,
       .index_ranges = index_ranges},
      {.schema = "index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)",
       .infer = infer_index_put_inplace,
       .reference = put,
       .sample = sample_index_put,
       .functional = "aten.index_put.default",
       .index_ranges = index_ranges},
  };
}

}  // namespace parallax
