// Accumulating slices at a vector of indices: index_add and index_reduce.
#include <array>
#include <string>

#include "ops/combiner.h"
#include "ops/copying.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/indexed_slices.h"
#include "ops/inplace.h"
#include "ops/sample.h"
#include "ops/view_layout.h"
#include "ops/view_sample.h"

namespace parallax {
namespace {

// The result is a row-major copy, whatever self's strides.
Result<void> check_accumulated(const Call& call) {
  const int rank = call.tensor(arg::source).layout.rank();
  TRY_VOID(check_index_vector(call, IndexWidth::Either));
  if (rank != call.tensor(arg::self).layout.rank())
    return refuse("a source of {} dims does not go into {}", rank, call.tensor(arg::self).layout.rank());
  return check_source_slices(call);
}

Metas infer_index_add(const Call& call) {
  if (const Result<void> checked = check_accumulated(call); !checked) return in_op(call, checked.error());
  TRY_VOID(check_fits(call, call.scalar(arg::alpha), call.tensor(arg::self).dtype));
  return row_major_copy(call);
}

Result<Combine> reduction_of(const Call& call) {
  const std::string& reduce = call.text(arg::reduce);
  const std::optional<Combine> combine = parse_combine(reduce);
  if (combine && *combine != Combine::Sum) return *combine;
  return refuse("{}: a reduction '{}' is not known", call.op().name, reduce);
}

Metas infer_index_reduce(const Call& call) {
  TRY_VOID(reduction_of(call));
  if (const Result<void> checked = check_accumulated(call); !checked) return in_op(call, checked.error());
  if (call.tensor(arg::self).dtype == DType::Bool) return refuse("{} does not take bool", call.op().name);
  return row_major_copy(call);
}

Result<void> reference_index_reduce(const ReferenceCall& call) {
  const BallView& output = call.output();
  const BallView& source = call.input(arg::source);
  copy_elements(call.input(arg::self), output, call.profile());
  TRY(const Combine how, reduction_of(call));
  // Even where the slices have no elements.
  TRY_VOID(named_places(call, false));
  Combiner combiner(output, how, call.boolean(arg::include_self), call.profile());
  TRY(const bool known,
      for_each_indexed(call, source.layout, false, [&](int64_t to, int64_t from) { combiner.add(to, source, from); }));
  if (known) combiner.finish();
  return {};
}

// The terms are alpha times the source's; by 1 and -1 nothing rounds.
Result<void> reference_index_add(const ReferenceCall& call) {
  const BallView& output = call.output();
  const BallView& source = call.input(arg::source);
  copy_elements(call.input(arg::self), output, call.profile());
  Combiner combiner(output, Combine::Sum, true, call.profile());
  const Scalar alpha = call.scalar(arg::alpha);
  const BallMath math(output.floating() ? output.dtype : DType::F32, call.profile());
  const auto scaled = [&](const Ball& x) {
    if (as_double(alpha) == 1) return x;
    return as_double(alpha) == -1 ? math.neg(x) : math.mul(math.scalar(as_double(alpha)), x);
  };
  TRY(const bool known, for_each_indexed(call, source.layout, false, [&](int64_t to, int64_t from) {
        if (output.floating()) {
          combiner.add(to, scaled(source.ball(from)));
        } else {
          const IntegerBall& x = source.integer(from);
          const uint64_t factor = static_cast<uint64_t>(number_as(output.dtype, alpha));
          const auto product = static_cast<int64_t>(factor * static_cast<uint64_t>(x.value));
          combiner.add(to, IntegerBall{wrap_to(output.dtype, product), x.undecided});
        }
      }));
  if (known) combiner.finish();
  return {};
}

std::optional<std::vector<Argument>> sample_accumulated(const Op& op, SampleContext& context) {
  const auto drawn = draw_slices(op, context, IndexWidth::Either, false);
  if (!drawn) return std::nullopt;
  std::vector<Argument> given{drawn->self, integer_argument(drawn->dim), drawn->index, drawn->source};
  if (op.schema.index_of(arg::reduce) >= 0) {
    // Eager's own assertion fails on expanded halves.
    if (context.meta(drawn->self).dtype == DType::Bool || is_expanded(context.meta(drawn->source).layout)) {
      return std::nullopt;
    }
    static constexpr std::array<std::string_view, 4> reductions = {"prod", "mean", "amax", "amin"};
    given.emplace_back(std::string(context.choices().pick(reductions)));
  }
  return with_defaults(op, std::move(given));
}

OpDef pure_index_add(std::string_view schema, InferFn infer, ReferenceFn reference) {
  return {.schema = schema,
          .infer = infer,
          .reference = reference,
          .sample = sample_accumulated,
          .index_ranges = ranges_of_slices};
}

OpDef index_add_twin(std::string_view schema, std::string_view functional) {
  return {.schema = schema,
          .infer = infer_inplace_apart,
          .reference = reference_inplace,
          .sample = sample_accumulated,
          .functional = functional,
          .index_ranges = ranges_of_slices};
}

}  // namespace

std::vector<OpDef> index_add_family() {
  return {
      pure_index_add("index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor",
                     infer_index_add, reference_index_add),
      pure_index_add(
          "index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> "
          "Tensor",
          infer_index_reduce, reference_index_reduce),
      index_add_twin(
          "index_add_(Tensor(a!) self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor(a!)",
          "aten.index_add.default"),
      index_add_twin("index_reduce_(Tensor(a!) self, int dim, Tensor index, Tensor source, str reduce, *, "
                     "bool include_self=True) -> Tensor(a!)",
                     "aten.index_reduce.default"),
  };
}

}  // namespace parallax
