// Overwriting at a vector of indices: index_copy and index_fill along a dim, put into the tensor as a vector.
#include <algorithm>

#include "ops/cast.h"
#include "ops/combiner.h"
#include "ops/copying.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/fresh_layout.h"
#include "ops/indexed_slices.h"
#include "ops/inplace.h"
#include "ops/sample.h"
#include "ops/view_layout.h"
#include "ops/view_sample.h"

namespace parallax {
namespace {

// The result is a row-major copy, whatever self's strides.
// A copy in self's own order of dims.
Metas clone_of_self(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  TRY(const Layout layout, fresh_layout(self.layout, MemoryFormat::Preserve));
  return std::vector{ResultMeta{self.dtype, layout, ValueId()}};
}

// index_copy

Result<void> check_copied(const Call& call) {
  const Layout self = at_least_1d(call.tensor(arg::self).layout);
  TRY(const int dim, sliced_dim(call));
  TRY_VOID(check_index_vector(call, IndexWidth::Wide));
  TRY_VOID(check_source_slices(call));
  if (call.tensor(arg::index).layout.numel() > 0 && self.sizes[dim] == 0) return refuse("dim {} is empty", dim);
  return {};
}

Metas infer_index_copy(const Call& call) {
  if (const Result<void> checked = check_copied(call); !checked) return in_op(call, checked.error());
  return row_major_copy(call);
}

Result<void> reference_index_copy(const ReferenceCall& call) {
  const BallView& source = call.input(arg::source);
  copy_elements(call.input(arg::self), call.output(), call.profile());
  UnorderedWriter writer(call.output(), call.profile());
  TRY_VOID(
      for_each_indexed(call, source.layout, false, [&](int64_t to, int64_t from) { writer.write(to, source, from); }));
  return {};
}

// index_fill, whose value is a number or a 0-d tensor

bool fills_number(const Call& call) { return !call.is_tensor(arg::value); }

Result<void> check_filled(const Call& call) {
  TRY(const int dim, sliced_dim(call));
  TRY_VOID(check_index_vector(call, IndexWidth::Wide));
  if (!fills_number(call) && call.tensor(arg::value).layout.rank() > 0) {
    return refuse("a value of {} dims is no number", call.tensor(arg::value).layout.rank());
  }
  if (call.tensor(arg::index).layout.numel() > 0 && at_least_1d(call.tensor(arg::self).layout).sizes[dim] == 0) {
    return refuse("dim {} is empty", dim);
  }
  return {};
}

Metas infer_index_fill(const Call& call) {
  if (const Result<void> checked = check_filled(call); !checked) return in_op(call, checked.error());
  if (fills_number(call)) TRY_VOID(check_fits(call, call.scalar(arg::value), call.tensor(arg::self).dtype));
  return clone_of_self(call);
}

// An expanded self may be written, and its value may be one of its own elements: it is read before.
Metas infer_index_fill_inplace(const Call& call) {
  TRY_VOID(infer_index_fill(call));
  TRY_VOID(check_apart(call, call.value(arg::self), call.value(arg::index)));
  const TensorMeta& self = call.tensor(arg::self);
  return std::vector{ResultMeta{self.dtype, self.layout, call.value(arg::self)}};
}

Result<void> fill(const ReferenceCall& call) {
  const BallView& output = call.output();
  BallStorage storage(output.dtype, 1);
  const BallView value{&storage, output.dtype, contiguous_layout({})};
  if (!fills_number(call)) {
    const BallView& given = call.input(arg::value);
    convert_element(given, given.layout.offset, value, 0, call.profile());
  } else if (output.floating()) {
    value.ball(0) = BallMath(output.dtype, call.profile()).scalar(call.real(arg::value));
  } else {
    value.integer(0) = {number_as(output.dtype, call.scalar(arg::value)), Undecided::No};
  }
  const Dims sizes = at_least_1d(output.layout).sizes;  // a 0-d tensor is filled as a vector of one
  const Layout everywhere{sizes, Dims::filled(sizes.size(), 0), 0};
  TRY_VOID(for_each_indexed(call, everywhere, true, [&](int64_t to, int64_t from) {
    convert_element(value, from, output, to, call.profile());
  }));
  return {};
}

Result<void> reference_index_fill(const ReferenceCall& call) {
  copy_elements(call.input(arg::self), call.output(), call.profile());
  return fill(call);
}

// put: into the tensor as a vector

Result<void> check_put(const Call& call) {
  const TensorMeta& index = call.tensor(arg::index);
  const TensorMeta& source = call.tensor(arg::source);
  TRY_VOID(check_index_dtype(index.dtype, IndexWidth::Wide));
  TRY_VOID(check_dtype_of_self(call, source));
  if (index.layout.numel() != source.layout.numel()) {
    return refuse("{} indices for {} elements", index.layout.numel(), source.layout.numel());
  }
  if (index.layout.numel() > 0 && call.tensor(arg::self).layout.numel() == 0)
    return refuse("nothing can be put into an empty tensor");
  return {};
}

Metas infer_put(const Call& call) {
  if (const Result<void> checked = check_put(call); !checked) return in_op(call, checked.error());
  return clone_of_self(call);
}

Result<void> reference_put(const ReferenceCall& call) {
  const BallView& output = call.output();
  const BallView& index = call.input(arg::index);
  const BallView& source = call.input(arg::source);
  copy_elements(call.input(arg::self), output, call.profile());
  const std::vector<int64_t> targets = elements_of(output.layout);
  const std::vector<int64_t> positions = elements_of(index.layout);
  const std::vector<int64_t> from = elements_of(source.layout);
  Combiner combiner(output, Combine::Sum, true, call.profile());
  UnorderedWriter writer(output, call.profile());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    TRY(const IntegerBall place, wrap_index(call, index.integer(positions[i]), static_cast<int64_t>(targets.size())));
    if (place.undecided != Undecided::No) {
      set_all_undecided(output, place.undecided);
      return {};
    }
    const int64_t target = targets[static_cast<std::size_t>(place.value)];
    if (call.boolean(arg::accumulate)) {
      combiner.add(target, source, from[i]);
    } else {
      writer.write(target, source, from[i]);
    }
  }
  combiner.finish();
  return {};
}

Drawn sample_index_copy(const Op& op, SampleContext& context) {
  const auto drawn = draw_slices(op, context, IndexWidth::Wide, true);
  if (!drawn) return std::nullopt;
  return std::vector<Argument>{drawn->self, integer_argument(drawn->dim), drawn->index, drawn->source};
}

std::optional<ValueId> pick_self(const Op& op, SampleContext& context, int rank) {
  return context.pick([&](const Candidate& candidate, const TensorMeta& meta) {
    return (!op.writes() || candidate.writable) && meta.layout.rank() >= rank && meta.layout.numel() > 0;
  });
}

Drawn sample_index_fill(const Op& op, SampleContext& context) {
  Choices& choices = context.choices();
  const auto self = pick_self(op, context, 1);
  if (!self) return std::nullopt;
  const TensorMeta& written = context.meta(*self);
  const auto index = pick_index(context, IndexWidth::Wide, [&](const TensorMeta& meta) {
    return meta.layout.rank() <= 1 && meta.storage != written.storage;
  });
  if (!index) return std::nullopt;
  Argument value = draw_scalar(choices, written.dtype);
  if (!takes_scalar(op, arg::value)) {
    const auto number = context.pick([&](const Candidate&, const TensorMeta& meta) {
      return meta.dtype == written.dtype && meta.layout.rank() == 0;
    });
    if (!number) return std::nullopt;
    value = *number;
  }
  return std::vector<Argument>{*self, integer_argument(draw_dim(choices, written.layout.rank())), *index,
                               std::move(value)};
}

Drawn sample_put(const Op& op, SampleContext& context) {
  const auto self = pick_self(op, context, 0);
  if (!self) return std::nullopt;
  const TensorMeta& written = context.meta(*self);
  const auto index = pick_index(context, IndexWidth::Wide, [&](const TensorMeta& meta) {
    return meta.layout.numel() <= written.layout.numel() && meta.storage != written.storage;
  });
  if (!index) return std::nullopt;
  const auto source = context.pick([&](const Candidate&, const TensorMeta& meta) {
    return meta.dtype == written.dtype && meta.layout.numel() == context.meta(*index).layout.numel() &&
           meta.storage != written.storage;
  });
  if (!source) return std::nullopt;
  return std::vector<Argument>{*self, *index, *source, Scalar(context.choices().chance(40))};
}

OpDef with_ranges(OpDef definition) {
  definition.index_ranges = ranges_of_slices;
  return definition;
}

OpDef filling(std::string_view schema) {
  return with_ranges(
      {.schema = schema, .infer = infer_index_fill, .reference = reference_index_fill, .sample = sample_index_fill});
}

OpDef filling_twin(std::string_view schema, std::string_view functional) {
  return with_ranges({.schema = schema,
                      .infer = infer_index_fill_inplace,
                      .reference = fill,
                      .sample = sample_index_fill,
                      .functional = functional});
}

}  // namespace

std::vector<OpDef> index_copy_family() {
  return {
      with_ranges({.schema = "index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor",
                   .infer = infer_index_copy,
                   .reference = reference_index_copy,
                   .sample = sample_index_copy}),
      with_ranges({.schema = "index_copy_(Tensor(a!) self, int dim, Tensor index, Tensor source) -> Tensor(a!)",
                   .infer = infer_inplace_apart,
                   .reference = reference_inplace,
                   .sample = sample_index_copy,
                   .functional = "aten.index_copy.default"}),
      filling("index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor"),
      filling("index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor"),
      filling_twin("index_fill_.int_Scalar(Tensor(a!) self, int dim, Tensor index, Scalar value) -> Tensor(a!)",
                   "aten.index_fill.int_Scalar"),
      filling_twin("index_fill_.int_Tensor(Tensor(a!) self, int dim, Tensor index, Tensor value) -> Tensor(a!)",
                   "aten.index_fill.int_Tensor"),
      {.schema = "put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor",
       .infer = infer_put,
       .reference = reference_put,
       .sample = sample_put,
       .index_ranges = ranges_of_elements},
      {.schema = "put_(Tensor(a!) self, Tensor index, Tensor source, bool accumulate=False) -> Tensor(a!)",
       .infer = infer_inplace_apart,
       .reference = reference_inplace,
       .sample = sample_put,
       .functional = "aten.put.default",
       .index_ranges = ranges_of_elements},
  };
}

}  // namespace parallax
