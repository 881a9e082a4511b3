// Scatters by index: a copy of a tensor with values written, added or combined where an index of the same rank says.
#include <array>
#include <string>

#include "ops/combiner.h"
#include "ops/copying.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/indices.h"
#include "ops/inplace.h"
#include "ops/sample.h"
#include "ops/view_layout.h"
#include "ops/view_sample.h"

namespace parallax {
namespace {

// An overload scatters a tensor, `src`, or a number, `value`.
bool scatters_number(const Call& call) { return call.takes(arg::value); }

Result<void> check_shapes(const Call& call, int dim) {
  const Layout self = at_least_1d(call.tensor(arg::self).layout);
  const Layout index = at_least_1d(call.tensor(arg::index).layout);
  if (index.rank() != self.rank()) return refuse("the index has {} dims, the tensor {}", index.rank(), self.rank());
  for (int i = 0; i < self.rank(); ++i) {
    if (i == dim || index.sizes[i] <= self.sizes[i]) continue;
    return refuse("the index's size {} at dim {} is over the tensor's {}", index.sizes[i], i, self.sizes[i]);
  }
  if (scatters_number(call)) return {};
  const Layout source = at_least_1d(call.tensor(arg::src).layout);
  if (index.rank() != source.rank()) return refuse("the index has {} dims, the source {}", index.rank(), source.rank());
  for (int i = 0; i < source.rank(); ++i) {
    if (index.sizes[i] <= source.sizes[i]) continue;
    return refuse("the index's size {} at dim {} is over the source's {}", index.sizes[i], i, source.sizes[i]);
  }
  return {};
}

Result<void> check_scatter(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  const TensorMeta& index = call.tensor(arg::index);
  TRY(const int dim, wrap_dim(call.integer(arg::dim), self.layout.rank()));
  if (!scatters_number(call) && call.tensor(arg::src).dtype != self.dtype) {
    return refuse("a source of {} cannot be scattered into {}", name(call.tensor(arg::src).dtype), name(self.dtype));
  }
  // Eager looks at no more of an index without elements.
  if (index.layout.numel() == 0) return {};
  TRY_VOID(check_index_dtype(index.dtype));
  return check_shapes(call, dim);
}

// The result is a row-major copy, whatever self's strides.
Metas infer_scatter(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  if (const Result<void> checked = check_scatter(call); !checked) return in_op(call, checked.error());
  if (scatters_number(call)) TRY_VOID(check_fits(call, call.scalar(arg::value), self.dtype));
  return std::vector{ResultMeta{self.dtype, contiguous_layout(self.layout.sizes), ValueId()}};
}

// `reduce` of scatter.reduce and scatter.value_reduce.
Result<Combine> arithmetic_of(const Call& call) {
  const std::string& reduce = call.text(arg::reduce);
  if (reduce == "add") return Combine::Sum;
  if (reduce == "multiply") return Combine::Product;
  return refuse("{}: a reduction '{}' is neither 'add' nor 'multiply'", call.op().name, reduce);
}

Metas infer_arithmetic(const Call& call) {
  TRY_VOID(arithmetic_of(call));
  return infer_scatter(call);
}

// `reduce` of scatter_reduce.
Result<Combine> reduction_of(const Call& call) {
  const std::string& reduce = call.text(arg::reduce);
  const std::optional<Combine> combine = parse_combine(reduce);
  if (!combine) return refuse("{}: a reduction '{}' is not known", call.op().name, reduce);
  if (*combine == Combine::Mean && call.tensor(arg::self).dtype == DType::Bool &&
      call.tensor(arg::index).layout.numel() > 0) {
    return refuse("{}: bool has no mean", call.op().name);
  }
  return *combine;
}

Metas infer_reduction(const Call& call) {
  TRY_VOID(reduction_of(call));
  return infer_scatter(call);
}

// Calls `visit(target element, logical index of the value)` with each element that is scattered, all of them in range.
// An index that is not known makes its whole line undecided.
template <class Visit>
Result<void> for_each_scattered(const ReferenceCall& call, Visit&& visit) {
  const BallView& index = call.input(arg::index);
  if (index.layout.numel() == 0) return {};
  const BallView& output = call.output();
  const Layout target = at_least_1d(output.layout);
  const Layout positions = at_least_1d(index.layout);
  TRY(const int dim, wrap_dim(call.integer(arg::dim), output.layout.rank()));
  TRY_VOID(check_all_in_range(call, index, target.sizes[dim]));
  std::vector<std::pair<int64_t, Undecided>> unknown_lines;
  for_each_index(positions.sizes, [&](const Dims& at) {
    const IntegerBall& chosen = index.integer(element_at(positions, at));
    Dims line = at;
    line[dim] = 0;
    const int64_t first = element_at(target, line);
    if (chosen.undecided != Undecided::No) {
      unknown_lines.emplace_back(first, chosen.undecided);
    } else {
      visit(first + chosen.value * target.strides[dim], at);
    }
  });
  visit.finish();
  for (const auto& [first, reason] : unknown_lines) {
    for (int64_t i = 0; i < target.sizes[dim]; ++i) set_undecided(output, first + i * target.strides[dim], reason);
  }
  return {};
}

// Writes in no defined order.
struct Write {
  UnorderedWriter writer;
  const BallView* source;
  Layout layout;

  void operator()(int64_t target, const Dims& at) { writer.write(target, *source, element_at(layout, at)); }
  void finish() {}
};

struct Accumulate {
  Combiner combiner;
  const BallView* source;
  Layout layout;

  void operator()(int64_t target, const Dims& at) { combiner.add(target, *source, element_at(layout, at)); }
  void finish() { combiner.finish(); }
};

// The number that is scattered, as an element of the output's dtype.
Ball number_as_ball(const ReferenceCall& call) {
  return BallMath(call.output().dtype, call.profile()).scalar(call.real(arg::value));
}
IntegerBall number_as_integer(const ReferenceCall& call) {
  return {number_as(call.output().dtype, call.scalar(arg::value)), Undecided::No};
}

// One number for every index: where two meet, they agree.
struct WriteNumber {
  const ReferenceCall* call;

  void operator()(int64_t target, const Dims&) const {
    const BallView& output = call->output();
    if (output.floating()) {
      output.ball(target) = number_as_ball(*call);
    } else {
      output.integer(target) = number_as_integer(*call);
    }
  }
  void finish() {}
};

struct AccumulateNumber {
  const ReferenceCall* call;
  Combiner combiner;

  void operator()(int64_t target, const Dims&) {
    if (call->output().floating()) {
      combiner.add(target, number_as_ball(*call));
    } else {
      combiner.add(target, number_as_integer(*call));
    }
  }
  void finish() { combiner.finish(); }
};

Result<void> reference_write(const ReferenceCall& call) {
  const BallView& output = call.output();
  copy_elements(call.input(arg::self), output, call.profile());
  if (scatters_number(call)) return for_each_scattered(call, WriteNumber{&call});
  const BallView& source = call.input(arg::src);
  return for_each_scattered(call, Write{{output, call.profile()}, &source, at_least_1d(source.layout)});
}

Result<void> accumulate(const ReferenceCall& call, Combine how, bool keeps_self) {
  const BallView& output = call.output();
  copy_elements(call.input(arg::self), output, call.profile());
  const Combiner combiner(output, how, keeps_self, call.profile());
  if (scatters_number(call)) return for_each_scattered(call, AccumulateNumber{&call, combiner});
  const BallView& source = call.input(arg::src);
  return for_each_scattered(call, Accumulate{combiner, &source, at_least_1d(source.layout)});
}

Result<void> reference_add(const ReferenceCall& call) { return accumulate(call, Combine::Sum, true); }

Result<void> reference_arithmetic(const ReferenceCall& call) {
  TRY(const Combine how, arithmetic_of(call));
  return accumulate(call, how, true);
}

Result<void> reference_reduction(const ReferenceCall& call) {
  TRY(const Combine how, reduction_of(call));
  return accumulate(call, how, call.boolean(arg::include_self));
}

std::vector<IndexRange> ranges(const Call& call) {
  const Layout self = at_least_1d(call.tensor(arg::self).layout);
  const Result<int> dim = wrap_dim(call.integer(arg::dim), self.rank());
  return dim ? std::vector{IndexRange{call.value(arg::index), self.sizes[*dim]}} : std::vector<IndexRange>();
}

// Whether some dim other than `dim` of the index is longer than the tensor's.
bool index_fits(const Dims& index, const Dims& tensor, int dim) {
  if (index.size() != tensor.size()) return false;
  for (int i = 0; i < index.size(); ++i) {
    if (i != dim && index[i] > tensor[i]) return false;
  }
  return true;
}

// Whether several values may meet in one element.
enum class Meeting { Avoided, Allowed };

// An index, a dim, a self and a source. Where a meeting is avoided, self's line holds at least as many elements as the
// index writes there.
template <Meeting meeting>
Drawn sample_scatter(const Op& op, SampleContext& context) {
  Choices& choices = context.choices();
  const auto index = pick_index(context, IndexWidth::Either, [](const TensorMeta& meta) {
    return meta.layout.rank() > 0 && meta.layout.numel() > 0;
  });
  if (!index) return std::nullopt;
  const TensorMeta& indices = context.meta(*index);
  const Dims& sizes = indices.layout.sizes;
  const int dim = static_cast<int>(choices.below(static_cast<uint64_t>(sizes.size())));
  const auto self = context.pick([&](const Candidate& candidate, const TensorMeta& meta) {
    if (op.writes() && (!candidate.writable || meta.storage == indices.storage)) return false;
    return index_fits(sizes, meta.layout.sizes, dim) && meta.layout.sizes[dim] > 0 &&
           (meeting == Meeting::Allowed || meta.layout.sizes[dim] >= sizes[dim]);
  });
  if (!self) return std::nullopt;
  const TensorMeta& written = context.meta(*self);
  const bool number = op.schema.index_of(arg::value) >= 0;
  Argument values;
  if (number) {
    values = draw_scalar(choices, written.dtype);
  } else {
    const auto source = context.pick([&](const Candidate&, const TensorMeta& meta) {
      return meta.dtype == written.dtype && index_fits(sizes, meta.layout.sizes, -1) &&
             (!op.writes() || meta.storage != written.storage);
    });
    if (!source) return std::nullopt;
    values = *source;
  }
  std::vector<Argument> given{*self, integer_argument(dim), *index, std::move(values)};
  if (op.schema.index_of(arg::include_self) >= 0) {
    static constexpr std::array<std::string_view, 5> reductions = {"sum", "prod", "mean", "amax", "amin"};
    const std::string_view drawn = choices.pick(reductions);
    given.emplace_back(std::string(drawn == "mean" && written.dtype == DType::Bool ? "sum" : drawn));
    given.emplace_back(std::in_place_type<Scalar>, !choices.chance(30));
  } else if (op.schema.index_of(arg::reduce) >= 0) {
    given.emplace_back(std::string(choices.chance(50) ? "multiply" : "add"));
  }
  return with_defaults(op, std::move(given));
}

template <Meeting meeting>
OpDef pure_scatter_index(std::string_view schema, InferFn infer, ReferenceFn reference) {
  return {.schema = schema,
          .infer = infer,
          .reference = reference,
          .sample = sample_scatter<meeting>,
          .index_ranges = ranges};
}

template <Meeting meeting>
OpDef scatter_index_twin(std::string_view schema, std::string_view functional) {
  return {.schema = schema,
          .infer = infer_inplace_apart,
          .reference = reference_inplace,
          .sample = sample_scatter<meeting>,
          .functional = functional,
          .index_ranges = ranges};
}

}  // namespace

std::vector<OpDef> scatter_index_family() {
  return {
      pure_scatter_index<Meeting::Avoided>("scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
                                           infer_scatter, reference_write),
      pure_scatter_index<Meeting::Avoided>("scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
                                           infer_scatter, reference_write),
      pure_scatter_index<Meeting::Avoided>(
          "scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor", infer_arithmetic,
          reference_arithmetic),
      pure_scatter_index<Meeting::Avoided>(
          "scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor",
          infer_arithmetic, reference_arithmetic),
      pure_scatter_index<Meeting::Allowed>("scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
                                           infer_scatter, reference_add),
      pure_scatter_index<Meeting::Allowed>(
          "scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, "
          "bool include_self=True) -> Tensor",
          infer_reduction, reference_reduction),

      scatter_index_twin<Meeting::Avoided>(
          "scatter_.src(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)", "aten.scatter.src"),
      scatter_index_twin<Meeting::Avoided>(
          "scatter_.value(Tensor(a!) self, int dim, Tensor index, Scalar value) -> Tensor(a!)", "aten.scatter.value"),
      scatter_index_twin<Meeting::Avoided>(
          "scatter_.reduce(Tensor(a!) self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor(a!)",
          "aten.scatter.reduce"),
      scatter_index_twin<Meeting::Avoided>(
          "scatter_.value_reduce(Tensor(a!) self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor(a!)",
          "aten.scatter.value_reduce"),
      scatter_index_twin<Meeting::Allowed>(
          "scatter_add_(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)", "aten.scatter_add.default"),
      scatter_index_twin<Meeting::Allowed>(
          "scatter_reduce_.two(Tensor(a!) self, int dim, Tensor index, Tensor src, str reduce, *, "
          "bool include_self=True) -> Tensor(a!)",
          "aten.scatter_reduce.two"),
  };
}

}  // namespace parallax
