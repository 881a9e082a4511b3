// repeat_interleave: each element, or each slice along a dim, several times in a row.
#include "ops/cast.h"
#include "ops/copying.h"
#include "ops/counted_size.h"
#include "ops/families.h"
#include "ops/indices.h"
#include "ops/sample.h"
#include "ops/view_layout.h"
#include "ops/view_sample.h"

namespace parallax {
namespace {

// repeat_interleave.Tensor: index i repeats[i] times.

Metas infer_counts(const Call& call) {
  const TensorMeta& repeats = call.tensor(arg::repeats);
  if (const Result<void> checked = check_index_dtype(repeats.dtype); !checked) return in_op(call, checked.error());
  if (repeats.layout.rank() != 1) return refuse("{}: {} dims are no vector", call.op().name, repeats.layout.rank());
  if (!call.has(arg::output_size)) {
    TRY(const int64_t count, needed_count(call));
    return std::vector{ResultMeta{repeats.dtype, contiguous_layout({count}), ValueId()}};
  }
  if (stated_count(call)) return refuse("{}: output_size states the size already", call.op().name);
  if (call.integer(arg::output_size) < 0)
    return refuse("{}: output_size {} is negative", call.op().name, call.integer(arg::output_size));
  return std::vector{ResultMeta{repeats.dtype, contiguous_layout({call.integer(arg::output_size)}), ValueId()}};
}

// The size is the sum of the counts. Counts that are negative or too many are left to the reference to refuse.
void complete_counts(std::vector<Argument>& arguments, const KnownElements& known) {
  if (!is_none(arguments[1]) || !is_none(arguments[2])) return;
  const Tensor* repeats = known(std::get<ValueId>(arguments[0]));
  if (!repeats || is_floating(repeats->dtype)) return;
  int64_t size = 0;
  for (int64_t i = 0; i < repeats->numel(); ++i) {
    if (__builtin_add_overflow(size, repeats->get_integer(i), &size)) return;
  }
  arguments[1] = integer_argument(size);
}

Result<void> reference_counts(const ReferenceCall& call) {
  const BallView& repeats = call.input(arg::repeats);
  const BallView& output = call.output();
  const int64_t size = output.layout.numel();
  int64_t index = 0;
  int64_t filled = 0;
  for (int64_t element : elements_of(repeats.layout)) {
    const IntegerBall& count = repeats.integer(element);
    if (count.undecided != Undecided::No) {
      for (; filled < size; ++filled) set_undecided(output, filled, count.undecided);
      return {};
    }
    if (count.value < 0) return refuse("{}: {} repeats are negative", call.op().name, count.value);
    if (count.value > size - filled) return refuse("{}: there are more than {}", call.op().name, size);
    for (int64_t i = 0; i < count.value; ++i) output.integer(filled++) = {index, Undecided::No};
    ++index;
  }
  if (filled != size) return refuse("{}: there are {} and not {}", call.op().name, filled, size);
  return {};
}

// repeat_interleave.self_int: without a dim, self as a vector

Result<Dims> repeated_sizes(const Call& call) {
  const Layout& self = call.tensor(arg::self).layout;
  const int64_t repeats = call.integer(arg::repeats);
  if (repeats < 0) return refuse("{} repeats are negative", repeats);
  Dims sizes = call.has(arg::dim) ? self.sizes : Dims{self.numel()};
  TRY(const int dim, existing_dim(call.has(arg::dim) ? call.integer(arg::dim) : 0, sizes.size()));
  if (__builtin_mul_overflow(sizes[dim], repeats, &sizes[dim]) ||
      !checked_numel(std::span(sizes.begin(), sizes.end()))) {
    return refuse("{} repeats are too many", repeats);
  }
  if (call.has(arg::output_size) && call.integer(arg::output_size) != sizes[dim]) {
    return refuse("output_size {} is not {}", call.integer(arg::output_size), sizes[dim]);
  }
  return sizes;
}

Metas infer_repeated(const Call& call) {
  const Result<Dims> sizes = repeated_sizes(call);
  if (!sizes) return in_op(call, sizes.error());
  return std::vector{ResultMeta{call.tensor(arg::self).dtype, contiguous_layout(*sizes), ValueId()}};
}

Result<void> reference_repeated(const ReferenceCall& call) {
  const BallView& self = call.input(arg::self);
  const BallView& output = call.output();
  const int64_t repeats = call.integer(arg::repeats);
  if (!call.has(arg::dim)) {
    int64_t to = 0;
    for (int64_t element : elements_of(self.layout)) {
      for (int64_t i = 0; i < repeats; ++i) convert_element(self, element, output, to++, call.profile());
    }
    return {};
  }
  TRY(const int dim, wrap_dim(call.integer(arg::dim), self.layout.rank()));
  for_each_index(output.layout.sizes, [&](const Dims& at) {
    Dims from = at;
    from[dim] /= repeats;
    convert_element(self, element_at(self.layout, from), output, element_at(output.layout, at), call.profile());
  });
  return {};
}

std::optional<std::vector<Argument>> sample_repeated(const Op& op, SampleContext& context) {
  const auto self = context.pick(
      [](const Candidate&, const TensorMeta& meta) { return meta.layout.rank() > 0 && meta.layout.numel() <= 64; });
  if (!self) return std::nullopt;
  Choices& choices = context.choices();
  const int64_t dim = draw_dim(choices, context.meta(*self).layout.rank());
  return with_defaults(
      op, {*self, integer_argument(choices.between(1, 3)), choices.chance(20) ? Argument() : integer_argument(dim)});
}

}  // namespace

std::vector<OpDef> repeat_interleave_family() {
  return {
      {.schema = "repeat_interleave.Tensor(Tensor repeats, *, SymInt? output_size=None) -> Tensor",
       .infer = infer_counts,
       .reference = reference_counts,
       .complete = complete_counts},
      {.schema = "repeat_interleave.self_int(Tensor self, SymInt repeats, int? dim=None, *, SymInt? "
                 "output_size=None) -> Tensor",
       .infer = infer_repeated,
       .reference = reference_repeated,
       .sample = sample_repeated},
  };
}

}  // namespace parallax
