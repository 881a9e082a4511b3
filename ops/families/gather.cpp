// Reading by index: index_select, gather, take, take_along_dim, embedding. What is out of range shows only in the data.
#include <algorithm>

#include "ops/cast.h"
#include "ops/copying.h"
#include "ops/families.h"
#include "ops/indexed_slices.h"
#include "ops/indices.h"
#include "ops/sample.h"
#include "ops/view_layout.h"
#include "ops/view_sample.h"

namespace parallax {
namespace {

// A fresh result of the dtype of what is read.
Metas fresh(const Call& call, arg source, const Result<Dims>& sizes) {
  if (!sizes) return in_op(call, sizes.error());
  return std::vector{ResultMeta{call.tensor(source).dtype, contiguous_layout(*sizes), ValueId()}};
}

// The product is checked where it is first formed: a result may be larger than both operands.
Result<Dims> checked_sizes(const Dims& sizes) {
  if (!checked_numel(std::span(sizes.begin(), sizes.end())))
    return fail("[{}] has too many elements", to_string(sizes));
  return sizes;
}

// Takes element `taken` of a line of the source, or nothing that is known.
void take_element(const ReferenceCall& call, const BallView& source, const IntegerBall& taken, int64_t first,
                  int64_t stride, int64_t to) {
  if (taken.undecided != Undecided::No) return set_undecided(call.output(), to, taken.undecided);
  convert_element(source, first + taken.value * stride, call.output(), to, call.profile());
}

// index_select

Result<Dims> selected_sizes(const Call& call) {
  const Layout& self = call.tensor(arg::self).layout;
  const TensorMeta& index = call.tensor(arg::index);
  TRY(const int dim, wrap_dim(call.integer(arg::dim), self.rank()));
  TRY_VOID(check_index_dtype(index.dtype));
  if (index.layout.rank() > 1) return refuse("an index of {} dims is not a vector", index.layout.rank());
  const int64_t count = index.layout.numel();
  if (self.rank() == 0) {
    if (count != 1) return refuse("{} indices for a 0-d tensor", count);
    return self.sizes;
  }
  if (self.sizes[dim] == 0 && count > 0) return refuse("dim {} is empty", dim);
  Dims sizes = self.sizes;
  sizes[dim] = count;
  return checked_sizes(sizes);
}

Metas infer_index_select(const Call& call) { return fresh(call, arg::self, selected_sizes(call)); }

// The dim that is indexed of an operand that has at least one.
Result<int> indexed_dim(const Call& call) {
  return wrap_dim(call.integer(arg::dim), call.tensor(arg::self).layout.rank());
}

Result<void> reference_index_select(const ReferenceCall& call) {
  const BallView& source = call.input(arg::self);
  const Layout self = at_least_1d(source.layout);
  const Layout output = at_least_1d(call.output().layout);
  const BallView& index = call.input(arg::index);
  TRY(const int dim, indexed_dim(call));
  TRY_VOID(check_all_in_range(call, index, self.sizes[dim]));
  const std::vector<int64_t> positions = elements_of(index.layout);
  for_each_index(output.sizes, [&](const Dims& at) {
    Dims line = at;
    line[dim] = 0;
    const IntegerBall& taken = index.integer(positions[static_cast<std::size_t>(at[dim])]);
    take_element(call, source, taken, element_at(self, line), self.strides[dim], element_at(output, at));
  });
  return {};
}

// gather

Result<Dims> gathered_sizes(const Call& call) {
  const Layout& self = call.tensor(arg::self).layout;
  const TensorMeta& index = call.tensor(arg::index);
  TRY(const int dim, indexed_dim(call));
  const Dims& sizes = index.layout.sizes;
  // Eager looks at nothing but the shape of an index without elements.
  if (index.layout.numel() == 0) return sizes;
  TRY_VOID(check_index_dtype(index.dtype));
  if (std::max(sizes.size(), 1) != std::max(self.rank(), 1)) {
    return refuse("the index has {} dims, the tensor {}", sizes.size(), self.rank());
  }
  for (int i = 0; i < std::min(sizes.size(), self.rank()); ++i) {
    if (i == dim || sizes[i] <= self.sizes[i]) continue;
    return refuse("the index's size {} at dim {} is over the tensor's {}", sizes[i], i, self.sizes[i]);
  }
  return sizes;
}

Metas infer_gather(const Call& call) { return fresh(call, arg::self, gathered_sizes(call)); }

Result<void> reference_gather(const ReferenceCall& call) {
  const BallView& source = call.input(arg::self);
  const Layout self = at_least_1d(source.layout);
  const Layout output = at_least_1d(call.output().layout);
  const BallView& index = call.input(arg::index);
  if (index.layout.numel() == 0) return {};
  const Layout positions = at_least_1d(index.layout);
  TRY(const int dim, indexed_dim(call));
  TRY_VOID(check_all_in_range(call, index, self.sizes[dim]));
  for_each_index(output.sizes, [&](const Dims& at) {
    Dims line = at;
    line[dim] = 0;
    take_element(call, source, index.integer(element_at(positions, at)), element_at(self, line), self.strides[dim],
                 element_at(output, at));
  });
  return {};
}

// take: the tensor as a vector, indices counting from either end.

Result<Dims> taken_sizes(const Call& call) {
  const TensorMeta& index = call.tensor(arg::index);
  TRY_VOID(check_index_dtype(index.dtype, IndexWidth::Wide));
  if (call.tensor(arg::self).layout.numel() == 0 && index.layout.numel() > 0) {
    return refuse("there is nothing to take from an empty tensor");
  }
  return index.layout.sizes;
}

Metas infer_take(const Call& call) { return fresh(call, arg::self, taken_sizes(call)); }

// Takes the elements of self as a vector that the index names.
Result<void> take_elements(const ReferenceCall& call, const BallView& index) {
  const BallView& source = call.input(arg::self);
  const std::vector<int64_t> from = elements_of(source.layout);
  const std::vector<int64_t> positions = elements_of(index.layout);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    TRY(const IntegerBall taken, wrap_index(call, index.integer(positions[i]), static_cast<int64_t>(from.size())));
    const bool known = taken.undecided == Undecided::No;
    take_element(call, source, taken, known ? from[static_cast<std::size_t>(taken.value)] : 0, 0,
                 static_cast<int64_t>(i));
  }
  return {};
}

Result<void> reference_take(const ReferenceCall& call) { return take_elements(call, call.input(arg::index)); }

// take_along_dim: gather of operands that are broadcast. Without a dim both are flattened.

Result<Dims> taken_along_sizes(const Call& call) {
  const Layout& self = call.tensor(arg::self).layout;
  const TensorMeta& index = call.tensor(arg::indices);
  TRY_VOID(check_index_dtype(index.dtype, IndexWidth::Wide));
  if (!call.has(arg::dim)) {
    // Eager flattens both as views.
    const bool flat = view_strides(self, {self.numel()}) && view_strides(index.layout, {index.layout.numel()});
    return flat ? Result<Dims>(Dims{index.layout.numel()}) : refuse("an operand has no flat view");
  }
  if (self.rank() != index.layout.rank()) {
    return refuse("the index has {} dims, the tensor {}", index.layout.rank(), self.rank());
  }
  TRY(const int dim, existing_dim(call.integer(arg::dim), self.rank()));
  if (self.sizes[dim] == 0 && index.layout.numel() > 0) return refuse("dim {} is empty", dim);
  Dims own = self.sizes;
  Dims others = index.layout.sizes;
  own[dim] = 1;
  others[dim] = 1;
  std::optional<Dims> sizes = broadcast_sizes(own, others);
  if (!sizes) return refuse("[{}] and [{}] do not broadcast", to_string(self.sizes), to_string(index.layout.sizes));
  (*sizes)[dim] = index.layout.sizes[dim];
  return checked_sizes(*sizes);
}

Metas infer_take_along_dim(const Call& call) { return fresh(call, arg::self, taken_along_sizes(call)); }

// Without a dim, indices do not count from the end.
Result<void> reference_take_along_dim(const ReferenceCall& call) {
  const BallView& output = call.output();
  const BallView& source = call.input(arg::self);
  const BallView& index = call.input(arg::indices);
  const Layout& self = source.layout;
  if (!call.has(arg::dim)) {
    TRY_VOID(check_all_in_range(call, index, self.numel()));
    return take_elements(call, index);
  }
  TRY(const int dim, existing_dim(call.integer(arg::dim), self.rank()));
  Dims sizes = output.layout.sizes;
  const Layout positions = *broadcast_to(index.layout, sizes);
  const int64_t size = self.sizes[dim];
  sizes[dim] = size;
  const Layout lines = *broadcast_to(self, sizes);
  for_each_index(output.layout.sizes, [&](const Dims& at) {
    // Eager takes the remainder, so that every integer is an index.
    IntegerBall taken = index.integer(element_at(positions, at));
    taken.value = taken.value % size < 0 ? taken.value % size + size : taken.value % size;
    Dims line = at;
    line[dim] = 0;
    take_element(call, source, taken, element_at(lines, line), lines.strides[dim], element_at(output.layout, at));
  });
  return {};
}

// embedding: rows of a matrix.

Result<Dims> embedded_sizes(const Call& call) {
  const Layout& weight = call.tensor(arg::weight).layout;
  const TensorMeta& index = call.tensor(arg::indices);
  if (weight.rank() != 2) return refuse("a weight of {} dims is not a matrix", weight.rank());
  TRY_VOID(check_index_dtype(index.dtype));
  if (index.layout.rank() == max_rank) return fail("the result has more than {} dims", max_rank);
  if (weight.sizes[0] == 0 && index.layout.numel() > 0) return refuse("there are no rows");
  Dims sizes = index.layout.sizes;
  sizes.push_back(weight.sizes[1]);
  return checked_sizes(sizes);
}

Metas infer_embedding(const Call& call) { return fresh(call, arg::weight, embedded_sizes(call)); }

Result<void> reference_embedding(const ReferenceCall& call) {
  const BallView& source = call.input(arg::weight);
  const BallView& index = call.input(arg::indices);
  const Layout& weight = source.layout;
  TRY_VOID(check_all_in_range(call, index, weight.sizes[0]));
  const int64_t width = weight.sizes[1];
  int64_t to = 0;
  for (int64_t position : elements_of(index.layout)) {
    for (int64_t column = 0; column < width; ++column) {
      take_element(call, source, index.integer(position), weight.offset + column * weight.strides[1], weight.strides[0],
                   to++);
    }
  }
  return {};
}

std::vector<IndexRange> ranges_along_dim(const Call& call) {
  const Layout self = at_least_1d(call.tensor(arg::self).layout);
  const Result<int> dim = indexed_dim(call);
  return dim ? std::vector{IndexRange{call.value(arg::index), self.sizes[*dim]}} : std::vector<IndexRange>();
}

std::vector<IndexRange> ranges_taken_along(const Call& call) {
  const Layout& self = call.tensor(arg::self).layout;
  if (!call.has(arg::dim)) return {{call.value(arg::indices), self.numel()}};
  const Result<int> dim = existing_dim(call.integer(arg::dim), self.rank());
  return dim ? std::vector{IndexRange{call.value(arg::indices), self.sizes[*dim]}} : std::vector<IndexRange>();
}

std::vector<IndexRange> ranges_of_rows(const Call& call) {
  return {{call.value(arg::indices), call.tensor(arg::weight).layout.sizes[0]}};
}

// Results stay of the size of what else a case holds.
constexpr int64_t most_taken = 64;

std::optional<ValueId> pick_nonempty(SampleContext& context, int rank) {
  return context.pick([rank](const Candidate&, const TensorMeta& meta) {
    return meta.layout.rank() >= rank && meta.layout.numel() > 0;
  });
}

Drawn sample_index_select(const Op&, SampleContext& context) {
  const auto self = pick_nonempty(context, 1);
  if (!self) return std::nullopt;
  const Layout& layout = context.meta(*self).layout;
  const int64_t dim = draw_dim(context.choices(), layout.rank());
  const int64_t rest = layout.numel() / layout.sizes[static_cast<int>(dim < 0 ? dim + layout.rank() : dim)];
  const auto index = pick_index(context, IndexWidth::Either, [&](const TensorMeta& meta) {
    return meta.layout.rank() <= 1 && meta.layout.numel() * rest <= most_taken;
  });
  if (!index) return std::nullopt;
  return std::vector<Argument>{*self, integer_argument(dim), *index};
}

Drawn sample_gather(const Op& op, SampleContext& context) {
  const auto index = pick_index(context, IndexWidth::Either, [](const TensorMeta& meta) {
    return meta.layout.rank() > 0 && meta.layout.numel() > 0;
  });
  if (!index) return std::nullopt;
  const Dims& sizes = context.meta(*index).layout.sizes;
  const int dim = static_cast<int>(context.choices().below(static_cast<uint64_t>(sizes.size())));
  const auto self = context.pick([&](const Candidate&, const TensorMeta& meta) {
    if (meta.layout.rank() != sizes.size() || meta.layout.numel() == 0) return false;
    for (int i = 0; i < sizes.size(); ++i) {
      if (i != dim && sizes[i] > meta.layout.sizes[i]) return false;
    }
    return true;
  });
  if (!self) return std::nullopt;
  return with_defaults(op, {*self, integer_argument(dim), *index});
}

Drawn sample_take(const Op&, SampleContext& context) {
  const auto self = pick_nonempty(context, 0);
  const auto index = pick_index(context, IndexWidth::Wide, [](const TensorMeta&) { return true; });
  if (!self || !index) return std::nullopt;
  return std::vector<Argument>{*self, *index};
}

Drawn sample_take_along_dim(const Op& op, SampleContext& context) {
  const auto index = pick_index(context, IndexWidth::Wide, [](const TensorMeta& meta) {
    return meta.layout.rank() > 0 && meta.layout.numel() > 0;
  });
  if (!index) return std::nullopt;
  const Dims& sizes = context.meta(*index).layout.sizes;
  const int64_t dim = draw_dim(context.choices(), sizes.size());
  const auto self = context.pick([&](const Candidate& candidate, const TensorMeta& meta) {
    if (meta.layout.numel() == 0) return false;
    const std::vector<Argument> arguments{candidate.value, *index, integer_argument(dim)};
    const Result<Dims> result = taken_along_sizes(Call(op, arguments, context.metas()));
    return result && *checked_numel(std::span(result->begin(), result->end())) <= most_taken;
  });
  if (!self) return std::nullopt;
  std::vector<Argument> arguments{*self, *index, Argument()};
  const bool flattens = context.choices().chance(20) && taken_along_sizes(Call(op, arguments, context.metas()));
  if (!flattens) arguments[2] = integer_argument(dim);
  return arguments;
}

Drawn sample_embedding(const Op& op, SampleContext& context) {
  const auto weight = context.pick(
      [](const Candidate&, const TensorMeta& meta) { return meta.layout.rank() == 2 && meta.layout.numel() > 0; });
  if (!weight) return std::nullopt;
  const int64_t width = context.meta(*weight).layout.sizes[1];
  const auto index = pick_index(context, IndexWidth::Either, [&](const TensorMeta& meta) {
    return meta.layout.rank() < max_sample_rank && meta.layout.numel() * width <= most_taken;
  });
  if (!index) return std::nullopt;
  return with_defaults(op, {*weight, *index});
}

}  // namespace

std::vector<OpDef> gather_family() {
  return {
      {.schema = "index_select(Tensor self, int dim, Tensor index) -> Tensor",
       .infer = infer_index_select,
       .reference = reference_index_select,
       .sample = sample_index_select,
       .index_ranges = ranges_along_dim},
      {.schema = "gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",
       .infer = infer_gather,
       .reference = reference_gather,
       .sample = sample_gather,
       .index_ranges = ranges_along_dim},
      {.schema = "take(Tensor self, Tensor index) -> Tensor",
       .infer = infer_take,
       .reference = reference_take,
       .sample = sample_take,
       .index_ranges = ranges_of_elements},
      {.schema = "take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor",
       .infer = infer_take_along_dim,
       .reference = reference_take_along_dim,
       .sample = sample_take_along_dim,
       .index_ranges = ranges_taken_along},
      {.schema = "embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, "
                 "bool sparse=False) -> Tensor",
       .infer = infer_embedding,
       .reference = reference_embedding,
       .sample = sample_embedding,
       .index_ranges = ranges_of_rows},
  };
}

}  // namespace parallax
