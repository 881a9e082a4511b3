// What a mask chooses, in order: masked_scatter, masked_select, nonzero and nonzero_static.
#include <algorithm>

#include "ops/ball_math.h"
#include "ops/cast.h"
#include "ops/copying.h"
#include "ops/counted_size.h"
#include "ops/families.h"
#include "ops/indices.h"
#include "ops/inplace.h"
#include "ops/sample.h"
#include "ops/view_layout.h"
#include "ops/view_sample.h"

namespace parallax {
namespace {

// masked_scatter

Metas infer_masked_scatter(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  const TensorMeta& mask = call.tensor(arg::mask);
  const TensorMeta& source = call.tensor(arg::source);
  if (mask.dtype != DType::Bool) return refuse("{}: the mask is {}, not bool", call.op().name, name(mask.dtype));
  if (source.dtype != self.dtype) {
    return refuse("{}: a source of {} does not go into {}", call.op().name, name(source.dtype), name(self.dtype));
  }
  const std::optional<Dims> sizes = broadcast_sizes(self.layout.sizes, mask.layout.sizes);
  if (!sizes) {
    return refuse("{}: a mask of shape [{}] does not fit [{}]", call.op().name, to_string(mask.layout.sizes),
                  to_string(self.layout.sizes));
  }
  return std::vector{ResultMeta{self.dtype, contiguous_layout(*sizes), ValueId()}};
}

// Eager reads a source that lies in the written memory while it writes there.
Metas infer_masked_scatter_inplace(const Call& call) {
  const bool elements = call.tensor(arg::self).layout.numel() > 0 && call.tensor(arg::source).layout.numel() > 0;
  if (elements && call.tensor(arg::source).storage == call.tensor(arg::self).storage) {
    return std::unexpected(
        Error{ErrorKind::Unsupported, "", "", call.op().name + ": a source in the written storage is not supported"});
  }
  return infer_inplace(call);
}

// The k-th element that the mask chooses takes the k-th of the source. Behind an element of the mask that is not known,
// neither is the count.
Result<void> reference_masked_scatter(const ReferenceCall& call) {
  const BallView& self = call.input(arg::self);
  const BallView& mask = call.input(arg::mask);
  const BallView& source = call.input(arg::source);
  const BallView& output = call.output();
  const Dims& sizes = output.layout.sizes;
  const std::vector<int64_t> from = elements_of(*broadcast_to(self.layout, sizes));
  const std::vector<int64_t> chosen = elements_of(*broadcast_to(mask.layout, sizes));
  const std::vector<int64_t> to = elements_of(output.layout);
  const std::vector<int64_t> sources = elements_of(source.layout);
  std::size_t next = 0;
  std::size_t perhaps = 0;  // that the mask may choose, from the first on that is not known
  Undecided lost = Undecided::No;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const IntegerBall& choice = mask.integer(chosen[i]);
    if (lost == Undecided::No) lost = choice.undecided;
    const bool kept = choice.undecided == Undecided::No && choice.value == 0;
    if (kept) {
      convert_element(self, from[i], output, to[i], call.profile());
    } else if (lost != Undecided::No) {
      set_undecided(output, to[i], lost);
      if (next + ++perhaps > sources.size()) call.note_may_raise();
    } else if (next == sources.size()) {
      return refuse("{}: the mask chooses more than the source's {} elements", call.op().name, sources.size());
    } else {
      convert_element(source, sources[next++], output, to[i], call.profile());
    }
  }
  return {};
}

// masked_select: as long as the mask says.

Metas infer_masked_select(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  const TensorMeta& mask = call.tensor(arg::mask);
  if (mask.dtype != DType::Bool) return refuse("{}: the mask is {}, not bool", call.op().name, name(mask.dtype));
  if (!broadcast_sizes(self.layout.sizes, mask.layout.sizes)) {
    return refuse("{}: a mask of shape [{}] does not fit [{}]", call.op().name, to_string(mask.layout.sizes),
                  to_string(self.layout.sizes));
  }
  TRY(const int64_t count, needed_count(call));
  return std::vector{ResultMeta{self.dtype, contiguous_layout({count}), ValueId()}};
}

Result<void> reference_masked_select(const ReferenceCall& call) {
  const BallView& self = call.input(arg::self);
  const BallView& mask = call.input(arg::mask);
  const Dims sizes = *broadcast_sizes(self.layout.sizes, mask.layout.sizes);
  const std::vector<int64_t> from = elements_of(*broadcast_to(self.layout, sizes));
  const std::vector<int64_t> chosen = elements_of(*broadcast_to(mask.layout, sizes));
  int64_t next = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (mask.integer(chosen[i]).value != 0) convert_element(self, from[i], call.output(), next++, call.profile());
  }
  return {};
}

// nonzero: a row of coordinates for each element that is not 0. Eager lays the coordinates of one dim side by side.

Metas infer_counted_nonzero(const Call& call) {
  TRY(const int64_t count, needed_count(call));
  const Dims sizes{count, call.tensor(arg::self).layout.rank()};
  if (!checked_numel(std::span(sizes.begin(), sizes.end()))) return fail("{}: {} are too many", call.op().name, count);
  return std::vector{ResultMeta{DType::I64, Layout{sizes, Dims{1, std::max<int64_t>(count, 1)}, 0}, ValueId()}};
}

Result<void> reference_counted_nonzero(const ReferenceCall& call) {
  const BallView& self = call.input(arg::self);
  const BallView& output = call.output();
  int64_t row = 0;
  for_each_index(self.layout.sizes, [&](const Dims& at) {
    if (element_as_integer(self, element_at(self.layout, at), DType::Bool).value == 0) return;
    for (int dim = 0; dim < self.layout.rank(); ++dim) {
      output.integer(element_at(output.layout, {row, dim})) = {at[dim], Undecided::No};
    }
    ++row;
  });
  return {};
}

// nonzero_static

Metas infer_nonzero(const Call& call) {
  const int64_t size = call.integer(arg::size);
  const int rank = call.tensor(arg::self).layout.rank();
  if (size < 0) return refuse("{}: size {} is negative", call.op().name, size);
  const Dims sizes{size, rank};
  if (!checked_numel(std::span(sizes.begin(), sizes.end()))) return fail("{}: {} are too many", call.op().name, size);
  return std::vector{ResultMeta{DType::I64, contiguous_layout(sizes), ValueId()}};
}

// Whether the element is not 0: NaN is not.
IntegerBall is_nonzero(const BallView& view, int64_t element) { return element_as_integer(view, element, DType::Bool); }

Result<void> reference_nonzero(const ReferenceCall& call) {
  const BallView& self = call.input(arg::self);
  const BallView& output = call.output();
  const int64_t rows = output.layout.sizes[0];
  const int rank = self.layout.rank();
  for (IntegerBall& element : output.storage->integers) element = {call.integer(arg::fill_value), Undecided::No};
  int64_t row = 0;
  Undecided lost = Undecided::No;
  for_each_index(self.layout.sizes, [&](const Dims& at) {
    if (row == rows || lost != Undecided::No) return;
    const IntegerBall nonzero = is_nonzero(self, element_at(self.layout, at));
    lost = nonzero.undecided;
    if (lost != Undecided::No || nonzero.value == 0) return;
    for (int dim = 0; dim < rank; ++dim) output.integer(row * rank + dim).value = at[dim];
    ++row;
  });
  // What follows may have moved up, and as much may be missing at the end.
  for (int64_t i = row * rank; lost != Undecided::No && i < rows * rank; ++i) set_undecided(output, i, lost);
  return {};
}

// A mask that fits and a source with an element for each that it may choose.
Drawn sample_masked_scatter(const Op& op, SampleContext& context) {
  const auto self = op.writes() ? pick_writable(context) : pick_tensor(context);
  if (!self) return std::nullopt;
  const TensorMeta& meta = context.meta(*self);
  const auto mask = context.pick([&](const Candidate&, const TensorMeta& other) {
    return other.dtype == DType::Bool && other.storage != meta.storage && broadcast_to(other.layout, meta.layout.sizes);
  });
  const auto source = context.pick([&](const Candidate&, const TensorMeta& other) {
    return other.dtype == meta.dtype && other.layout.numel() >= meta.layout.numel() &&
           (!op.writes() || other.storage != meta.storage);
  });
  if (!mask || !source) return std::nullopt;
  return std::vector<Argument>{*self, *mask, *source};
}

Drawn sample_nonzero(const Op& op, SampleContext& context) {
  const auto self = pick_tensor(context);
  if (!self) return std::nullopt;
  return with_defaults(op, {*self, integer_argument(context.choices().between(1, 6))});
}

}  // namespace

std::vector<OpDef> mask_family() {
  return {
      {.schema = "masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor",
       .infer = infer_masked_scatter,
       .reference = reference_masked_scatter,
       .sample = sample_masked_scatter},
      {.schema = "masked_scatter_(Tensor(a!) self, Tensor mask, Tensor source) -> Tensor(a!)",
       .infer = infer_masked_scatter_inplace,
       .reference = reference_inplace,
       .sample = sample_masked_scatter,
       .functional = "aten.masked_scatter.default"},
      {.schema = "masked_select(Tensor self, Tensor mask) -> Tensor",
       .infer = infer_masked_select,
       .reference = reference_masked_select},
      {.schema = "nonzero(Tensor self) -> Tensor",
       .infer = infer_counted_nonzero,
       .reference = reference_counted_nonzero},
      {.schema = "nonzero_static(Tensor self, *, SymInt size, int fill_value=-1) -> Tensor",
       .infer = infer_nonzero,
       .reference = reference_nonzero,
       .sample = sample_nonzero},
  };
}

}  // namespace parallax
