// Pads: constant_pad_nd, reflection_pad and replication_pad. Elements of a border that is added, or cut off where the
// padding is negative.
#include <algorithm>
#include <vector>

#include "ops/cast.h"
#include "ops/copying.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/fresh_layout.h"
#include "ops/sample.h"
#include "ops/view_layout.h"
#include "ops/view_sample.h"

namespace parallax {
namespace {

// What is added in front of and behind a dim.
struct Padding {
  int64_t before = 0;
  int64_t after = 0;
};

// By dim: the list has pairs from the last dim on.
std::vector<Padding> paddings(const IntList& pad, int rank) {
  std::vector<Padding> by_dim(static_cast<std::size_t>(rank));
  for (std::size_t i = 0; i < pad.size() / 2; ++i) {
    by_dim[static_cast<std::size_t>(rank) - 1 - i] = {pad[2 * i], pad[2 * i + 1]};
  }
  return by_dim;
}

// The padded size, or nothing where it overflows.
std::optional<int64_t> padded_size(int64_t size, const Padding& padding) {
  int64_t padded = 0;
  if (__builtin_add_overflow(size, padding.before, &padded)) return std::nullopt;
  if (__builtin_add_overflow(padded, padding.after, &padded)) return std::nullopt;
  return padded;
}

Result<Dims> padded_sizes(const Dims& sizes, const std::vector<Padding>& padding) {
  Dims padded = sizes;
  for (int dim = 0; dim < sizes.size(); ++dim) {
    const std::optional<int64_t> size = padded_size(sizes[dim], padding[static_cast<std::size_t>(dim)]);
    if (!size || *size < 0) return refuse("the padding makes no size of dim {}, {}", dim, sizes[dim]);
    padded[dim] = *size;
  }
  if (!checked_numel(std::span(padded.begin(), padded.end()))) return refuse("[{}] is too large", to_string(padded));
  return padded;
}

// constant_pad_nd

// What negative paddings leave of self.
Result<Layout> cut(const Layout& self, const std::vector<Padding>& padding) {
  Layout layout = self;
  for (int dim = self.rank() - 1; dim >= 0; --dim) {
    const Padding& at = padding[static_cast<std::size_t>(dim)];
    const int64_t front = std::max<int64_t>(-at.before, 0);
    TRY(layout, narrow_layout(layout, dim, front, layout.sizes[dim] - front));
    TRY(layout, narrow_layout(layout, dim, 0, layout.sizes[dim] - std::max<int64_t>(-at.after, 0)));
  }
  return layout;
}

Result<Layout> constant_layout(const Call& call) {
  const Layout& self = call.tensor(arg::self).layout;
  const IntList& pad = call.integers(arg::pad);
  if (pad.size() % 2 != 0) return refuse("{} paddings are no pairs", pad.size());
  if (pad.size() / 2 > static_cast<std::size_t>(self.rank())) {
    return refuse("{} paddings for {} dims", pad.size(), self.rank());
  }
  const auto too_low = [](int64_t x) { return x < -(int64_t{1} << 40); };
  if (std::any_of(pad.begin(), pad.end(), too_low)) return refuse("a padding cuts off more than there is");
  const std::vector<Padding> padding = paddings(pad, self.rank());
  TRY(const Dims sizes, padded_sizes(self.sizes, padding));
  TRY(const Layout left, cut(self, padding));
  // Where nothing is added, eager clones what is left.
  const bool adds = std::any_of(pad.begin(), pad.end(), [](int64_t x) { return x > 0; });
  if (!adds) return fresh_layout(left, MemoryFormat::Preserve);
  return fresh_layout(contiguous_layout(sizes), suggested_format(self));
}

Metas infer_constant(const Call& call) {
  const Result<Layout> layout = constant_layout(call);
  if (!layout) return in_op(call, layout.error());
  const DType dtype = call.tensor(arg::self).dtype;
  TRY_VOID(check_fits(call, call.scalar(arg::value), dtype));
  return std::vector{ResultMeta{dtype, *layout, ValueId()}};
}

Result<void> reference_constant(const ReferenceCall& call) {
  const BallView& self = call.input(arg::self);
  const BallView& output = call.output();
  const std::vector<Padding> padding = paddings(call.integers(arg::pad), self.layout.rank());
  TRY(const Layout left, cut(self.layout, padding));
  Layout inside{left.sizes, output.layout.strides, output.layout.offset};
  for (int dim = 0; dim < inside.rank(); ++dim) {
    inside.offset += std::max<int64_t>(padding[static_cast<std::size_t>(dim)].before, 0) * inside.strides[dim];
  }
  if (output.floating()) {
    const Ball value = BallMath(output.dtype, call.profile()).scalar(call.real(arg::value));
    for_each_element(output.layout, [&](int64_t element) { output.ball(element) = value; });
  } else {
    const IntegerBall value{number_as(output.dtype, call.scalar(arg::value)), Undecided::No};
    for_each_element(output.layout, [&](int64_t element) { output.integer(element) = value; });
  }
  copy_elements(with_layout(self, left), with_layout(output, inside), call.profile());
  return {};
}

// reflection_pad and replication_pad of the last 1, 2 or 3 dims, in front of which there are channels and maybe a batch

struct Border {
  int dims;       // that are padded
  bool reflects;  // else the edge is repeated
};

bool takes_rank(const Border& border, int rank) { return rank == border.dims + 1 || rank == border.dims + 2; }

Result<Layout> border_layout(const TensorMeta& self, const IntList& pad, const Border& border) {
  const Layout& layout = self.layout;
  if (self.dtype == DType::Bool) return refuse("bool is not taken");
  if (pad.size() != 2 * static_cast<std::size_t>(border.dims)) return refuse("{} paddings", pad.size());
  if (!takes_rank(border, layout.rank())) return refuse("a tensor of {} dims is not padded", layout.rank());
  const bool batched = layout.rank() == border.dims + 2;
  for (int dim = batched ? 1 : 0; dim < layout.rank(); ++dim) {
    if (layout.sizes[dim] == 0) return refuse("dim {} is empty", dim);
  }
  const std::vector<Padding> padding = paddings(pad, layout.rank());
  TRY(const Dims sizes, padded_sizes(layout.sizes, padding));
  bool any = false;
  for (int dim = layout.rank() - border.dims; dim < layout.rank(); ++dim) {
    const Padding& at = padding[static_cast<std::size_t>(dim)];
    if (border.reflects && (at.before >= layout.sizes[dim] || at.after >= layout.sizes[dim])) {
      return refuse("a padding of ({}, {}) is not less than dim {}, {}", at.before, at.after, dim, layout.sizes[dim]);
    }
    any = any || sizes[dim] > 0;
  }
  // Eager asks for one size that is not 0 of all that are padded.
  if (!any) return refuse("the padding leaves nothing");
  return fresh_layout(contiguous_layout(sizes), suggested_format(layout));
}

template <const Border& border>
Metas infer_border(const Call& call) {
  const Result<Layout> layout = border_layout(call.tensor(arg::self), call.integers(arg::padding), border);
  if (!layout) return in_op(call, layout.error());
  return std::vector{ResultMeta{call.tensor(arg::self).dtype, *layout, ValueId()}};
}

// Where eager reads position k of a padded dim. A negative padding shifts the start, so that what lies past the edge of
// the shifted dim is still taken from where the formula points.
int64_t border_source(int64_t k, int64_t size, int64_t before, bool reflects) {
  const int64_t into = std::max<int64_t>(0, -before);
  const int64_t out = std::max<int64_t>(0, before);
  int64_t at = k;
  if (k < before) {
    at = reflects ? 2 * before - k : before;
  } else if (k >= size + before) {
    at = reflects ? 2 * (size + before - 1) - k : size + before - 1;
  }
  return at - out + into;
}

template <const Border& border>
Result<void> reference_border(const ReferenceCall& call) {
  const BallView& self = call.input(arg::self);
  const BallView& output = call.output();
  const std::vector<Padding> padding = paddings(call.integers(arg::padding), self.layout.rank());
  for_each_index(output.layout.sizes, [&](const Dims& at) {
    Dims from = at;
    for (int dim = at.size() - border.dims; dim < at.size(); ++dim) {
      const int64_t size = self.layout.sizes[dim];
      const int64_t source =
          border_source(at[dim], size, padding[static_cast<std::size_t>(dim)].before, border.reflects);
      from[dim] = std::clamp<int64_t>(source, 0, size - 1);
    }
    convert_element(self, element_at(self.layout, from), output, element_at(output.layout, at), call.profile());
  });
  return {};
}

bool small(const Result<Layout>& layout) { return layout && layout->numel() <= max_sample_elements; }

Drawn sample_constant(const Op& op, SampleContext& context) {
  const auto self = pick_of_rank(context, 1);
  if (!self) return std::nullopt;
  Choices& choices = context.choices();
  const TensorMeta& meta = context.meta(*self);
  IntList pad;
  const int64_t pairs = choices.between(1, std::min(meta.layout.rank(), 3));
  for (int64_t i = 0; i < 2 * pairs; ++i) {
    const int64_t size = meta.layout.sizes[meta.layout.rank() - 1 - static_cast<int>(i / 2)];
    pad.push_back(size > 1 && choices.chance(20) ? -1 : choices.between(0, 2));
  }
  // Two negative paddings of a short dim could leave less than nothing.
  std::vector<Argument> arguments{*self, std::move(pad), draw_scalar(choices, meta.dtype)};
  if (!small(constant_layout(Call(op, arguments, context.metas())))) arguments[1] = IntList{0, 1};
  return arguments;
}

template <const Border& border>
Drawn sample_border(const Op&, SampleContext& context) {
  Choices& choices = context.choices();
  IntList pad;
  for (int i = 0; i < 2 * border.dims; ++i) pad.push_back(choices.chance(10) ? -1 : choices.between(0, 2));
  const auto fits = [&](const IntList& drawn) {
    // Most candidates fail by their rank, and the words of a refusal take long.
    return context.pick([&](const Candidate&, const TensorMeta& meta) {
      return takes_rank(border, meta.layout.rank()) && small(border_layout(meta, drawn, border));
    });
  };
  auto self = fits(pad);
  if (!self) {
    // Every tensor of the rank takes a padding of nothing.
    std::fill(pad.begin(), pad.end(), 0);
    self = fits(pad);
  }
  if (!self) return std::nullopt;
  return std::vector<Argument>{*self, std::move(pad)};
}

template <const Border& border>
OpDef bordered(std::string_view schema) {
  return {.schema = schema,
          .infer = infer_border<border>,
          .reference = reference_border<border>,
          .sample = sample_border<border>};
}

constexpr Border reflect_line = {1, true};
constexpr Border reflect_image = {2, true};
constexpr Border reflect_volume = {3, true};
constexpr Border repeat_line = {1, false};
constexpr Border repeat_image = {2, false};
constexpr Border repeat_volume = {3, false};

}  // namespace

std::vector<OpDef> pad_family() {
  return {
      {.schema = "constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor",
       .infer = infer_constant,
       .reference = reference_constant,
       .sample = sample_constant},
      bordered<reflect_line>("reflection_pad1d(Tensor self, SymInt[2] padding) -> Tensor"),
      bordered<reflect_image>("reflection_pad2d(Tensor self, SymInt[4] padding) -> Tensor"),
      bordered<reflect_volume>("reflection_pad3d(Tensor self, SymInt[6] padding) -> Tensor"),
      bordered<repeat_line>("replication_pad1d(Tensor self, SymInt[2] padding) -> Tensor"),
      bordered<repeat_image>("replication_pad2d(Tensor self, SymInt[4] padding) -> Tensor"),
      bordered<repeat_volume>("replication_pad3d(Tensor self, SymInt[6] padding) -> Tensor"),
  };
}

}  // namespace parallax
