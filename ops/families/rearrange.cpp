// Rearrangements: copies whose elements come from other places of the same tensor (flip, roll, repeat).
#include <array>

#include "ops/cast.h"
#include "ops/copying.h"
#include "ops/families.h"
#include "ops/fresh_layout.h"
#include "ops/sample.h"
#include "ops/view_layout.h"
#include "ops/view_sample.h"

namespace parallax {
namespace {

Metas fresh(const Call& call, const Result<Layout>& layout) {
  if (!layout) return in_op(call, layout.error());
  return std::vector{ResultMeta{call.tensor(arg::self).dtype, *layout, ValueId()}};
}

Metas infer_flip(const Call& call) {
  const Layout& layout = call.tensor(arg::self).layout;
  const Result<std::vector<int>> dims = wrap_dims(call.integers(arg::dims), layout.rank());
  if (!dims) return in_op(call, dims.error());
  return fresh(call, fresh_layout(layout, MemoryFormat::Preserve));
}

Result<void> reference_flip(const ReferenceCall& call) {
  Layout mirrored = call.input(arg::self).layout;
  if (mirrored.rank() > 0 && mirrored.numel() > 0) {
    TRY(const std::vector<int> dims, wrap_dims(call.integers(arg::dims), mirrored.rank()));
    for (int dim : dims) {
      mirrored.offset += (mirrored.sizes[dim] - 1) * mirrored.strides[dim];
      mirrored.strides[dim] = -mirrored.strides[dim];
    }
  }
  copy_elements(with_layout(call.input(arg::self), mirrored), call.output(), call.profile());
  return {};
}

// x modulo size, in [0, size).
int64_t modulo(int64_t x, int64_t size) {
  const int64_t rest = x % size;
  return rest < 0 ? rest + size : rest;
}

// One dim's roll, which eager makes as a cat of the two parts.
Result<Layout> rolled(const Layout& layout, int64_t shift, int64_t dim) {
  if (layout.numel() == 0) return fresh_layout(layout, MemoryFormat::Preserve);
  TRY(const int at, existing_dim(dim, layout.rank()));
  const int64_t start = modulo(-(shift % layout.sizes[at]), layout.sizes[at]);
  TRY(const Layout tail, narrow_layout(layout, at, start, layout.sizes[at] - start));
  TRY(const Layout head, narrow_layout(layout, at, 0, start));
  return fresh_layout(layout, common_format(std::array{tail, head}));
}

Result<Layout> roll_layout(const Layout& layout, const IntList& shifts, const IntList& dims) {
  if (shifts.empty()) return fail("no shifts are given");
  if (dims.empty() && shifts.size() == 1) return contiguous_layout(layout.sizes);
  if (dims.size() != shifts.size()) return fail("{} shifts for {} dims", shifts.size(), dims.size());
  Layout result = layout;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    TRY(result, rolled(result, shifts[i], dims[i]));
  }
  return result;
}

Metas infer_roll(const Call& call) {
  return fresh(call, roll_layout(call.tensor(arg::self).layout, call.integers(arg::shifts), call.integers(arg::dims)));
}

Result<void> reference_roll(const ReferenceCall& call) {
  const BallView& input = call.input(arg::self);
  const BallView& output = call.output();
  const Dims& sizes = output.layout.sizes;
  if (output.layout.numel() == 0) return {};
  const IntList& shifts = call.integers(arg::shifts);
  const IntList& dims = call.integers(arg::dims);
  if (dims.empty()) {
    const std::vector<int64_t> from = elements_of(input.layout);
    const std::vector<int64_t> to = elements_of(output.layout);
    const auto count = static_cast<int64_t>(to.size());
    for (int64_t i = 0; i < count; ++i) {
      const auto source = static_cast<std::size_t>(modulo(i - shifts[0] % count, count));
      convert_element(input, from[source], output, to[static_cast<std::size_t>(i)], call.profile());
    }
    return {};
  }
  for_each_index(sizes, [&](const Dims& index) {
    Dims source = index;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      const int dim = static_cast<int>(dims[i] < 0 ? dims[i] + sizes.size() : dims[i]);
      source[dim] = modulo(source[dim] - shifts[i] % sizes[dim], sizes[dim]);
    }
    convert_element(input, element_at(input.layout, source), output, element_at(output.layout, index), call.profile());
  });
  return {};
}

Result<Layout> repeat_layout(const Layout& layout, const IntList& repeats) {
  if (repeats.size() < static_cast<std::size_t>(layout.rank())) {
    return fail("{} repeats for {} dims", repeats.size(), layout.rank());
  }
  const std::size_t added = repeats.size() - static_cast<std::size_t>(layout.rank());
  IntList sizes = repeats;
  for (std::size_t i = added; i < sizes.size(); ++i) {
    if (__builtin_mul_overflow(sizes[i], layout.sizes[static_cast<int>(i - added)], &sizes[i])) {
      return fail("{} repeats are too many", repeats[i]);
    }
  }
  TRY(const Dims result, to_sizes(sizes));
  return contiguous_layout(result);
}

Metas infer_repeat(const Call& call) {
  return fresh(call, repeat_layout(call.tensor(arg::self).layout, call.integers(arg::repeats)));
}

Result<void> reference_repeat(const ReferenceCall& call) {
  const BallView& input = call.input(arg::self);
  const BallView& output = call.output();
  const int added = output.layout.rank() - input.layout.rank();
  for_each_index(output.layout.sizes, [&](const Dims& index) {
    Dims source;
    for (int i = added; i < index.size(); ++i) source.push_back(index[i] % input.layout.sizes[i - added]);
    convert_element(input, element_at(input.layout, source), output, element_at(output.layout, index), call.profile());
  });
  return {};
}

Drawn sample_flip(const Op&, SampleContext& context) {
  const auto self = pick_tensor(context);
  if (!self) return std::nullopt;
  return std::vector<Argument>{*self, draw_dims(context.choices(), context.meta(*self).layout.rank())};
}

Drawn sample_roll(const Op&, SampleContext& context) {
  const auto self = pick_of_rank(context, 1);
  if (!self) return std::nullopt;
  Choices& choices = context.choices();
  if (choices.chance(25)) return std::vector<Argument>{*self, IntList{choices.between(-2, 3)}, IntList{}};
  IntList dims = draw_dims(choices, context.meta(*self).layout.rank());
  IntList shifts;
  for (std::size_t i = 0; i < dims.size(); ++i) shifts.push_back(choices.between(-2, 3));
  return std::vector<Argument>{*self, std::move(shifts), std::move(dims)};
}

Drawn sample_repeat(const Op&, SampleContext& context) {
  const auto self = context.pick([](const Candidate&, const TensorMeta& meta) {
    return meta.layout.rank() < max_sample_rank && meta.layout.numel() * 8 <= max_sample_elements;
  });
  if (!self) return std::nullopt;
  Choices& choices = context.choices();
  IntList repeats(static_cast<std::size_t>(context.meta(*self).layout.rank()), 1);
  if (repeats.empty() || choices.chance(25)) repeats.insert(repeats.begin(), choices.between(1, 3));
  repeats[choices.below(repeats.size())] = choices.between(1, 2);
  return std::vector<Argument>{*self, std::move(repeats)};
}

}  // namespace

std::vector<OpDef> rearrange_family() {
  return {
      {.schema = "flip(Tensor self, int[] dims) -> Tensor",
       .infer = infer_flip,
       .reference = reference_flip,
       .sample = sample_flip},
      {.schema = "roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor",
       .infer = infer_roll,
       .reference = reference_roll,
       .sample = sample_roll},
      {.schema = "repeat(Tensor self, SymInt[] repeats) -> Tensor",
       .infer = infer_repeat,
       .reference = reference_repeat,
       .sample = sample_repeat},
  };
}

}  // namespace parallax
