// Windows: views of some of a tensor's elements, or of its storage with other strides.
#include <algorithm>

#include "ops/families.h"
#include "ops/fresh_layout.h"
#include "ops/sample.h"
#include "ops/view_layout.h"
#include "ops/view_sample.h"

namespace parallax {
namespace {

std::optional<int64_t> optional_integer(const Call& call, arg name) {
  return call.has(name) ? std::optional(call.integer(name)) : std::nullopt;
}

Result<Layout> select(const Call& call) {
  return select_layout(self_layout(call), call.integer(arg::dim), call.integer(arg::index));
}
Result<Layout> slice(const Call& call) {
  return slice_layout(self_layout(call), call.integer(arg::dim), optional_integer(call, arg::start),
                      optional_integer(call, arg::end), call.integer(arg::step));
}
Result<Layout> narrow(const Call& call) {
  return narrow_layout(self_layout(call), call.integer(arg::dim), call.integer(arg::start), call.integer(arg::length));
}
Result<Layout> diagonal(const Call& call) {
  return diagonal_layout(self_layout(call), call.integer(arg::offset), call.integer(arg::dim1),
                         call.integer(arg::dim2));
}
Result<Layout> unfold(const Call& call) {
  return unfold_layout(self_layout(call), call.integer(arg::dimension), call.integer(arg::size),
                       call.integer(arg::step));
}
Result<Layout> as_strided(const Call& call) {
  const auto inside = [&](int64_t elements) {
    return as_strided_layout(self_layout(call), call.integers(arg::size), call.integers(arg::stride),
                             optional_integer(call, arg::storage_offset), elements);
  };
  // The reach of the whole storage is a look at every value there is, and seldom more than the operand's own.
  const Result<Layout> window = inside(self_layout(call).numel() > 0 ? self_layout(call).extent() : 0);
  return window ? window : inside(known_elements(call.metas(), call.tensor(arg::self).storage));
}

// resize_ and resize_as_: the storage's elements under other sizes, in row-major order or in the order of a format. A
// larger storage would begin with what eager itself leaves undefined; it is not supported.
Result<std::vector<ResultMeta>> resized(const Call& call, const Dims& sizes, std::optional<MemoryFormat> format) {
  const TensorMeta& self = call.tensor(arg::self);
  Result<Layout> layout = self.layout;
  if (format || sizes != self.layout.sizes) {
    layout = fresh_layout(contiguous_layout(sizes), format.value_or(MemoryFormat::Contiguous));
    if (!layout) return in_op(call, layout.error());
    layout->offset = self.layout.offset;
  }
  if (layout->numel() > 0 && layout->extent() > known_elements(call.metas(), self.storage)) {
    return std::unexpected(
        Error{ErrorKind::Unsupported, "", "", call.op().name + ": a storage that grows is not supported"});
  }
  return std::vector{ResultMeta{self.dtype, *layout, call.value(arg::self)}};
}

Result<std::vector<ResultMeta>> infer_resize(const Call& call) {
  const Result<Dims> sizes = to_sizes(call.integers(arg::size));
  if (!sizes) return in_op(call, sizes.error());
  const std::optional<MemoryFormat> format = call.memory_format(arg::memory_format);
  if (format == MemoryFormat::Preserve) return refuse("{}: preserve_format is no format to resize to", call.op().name);
  return resized(call, *sizes, format);
}

Result<std::vector<ResultMeta>> infer_resize_as(const Call& call) {
  const Layout& other = call.tensor(arg::the_template).layout;
  std::optional<MemoryFormat> format = call.memory_format(arg::memory_format);
  if (format == MemoryFormat::Preserve) format = suggested_format(other);
  return resized(call, other.sizes, format);
}

Drawn sample_select(const Op&, SampleContext& context) {
  const auto self = context.pick(
      [](const Candidate&, const TensorMeta& meta) { return meta.layout.rank() > 0 && meta.layout.numel() > 0; });
  if (!self) return std::nullopt;
  const Layout& layout = context.meta(*self).layout;
  const int64_t dim = draw_dim(context.choices(), layout.rank());
  const int64_t size = layout.sizes[static_cast<int>(dim < 0 ? dim + layout.rank() : dim)];
  const int64_t index = context.choices().between(0, size - 1);
  const bool negative = context.choices().chance(20);
  return std::vector<Argument>{*self, integer_argument(dim), integer_argument(negative ? index - size : index)};
}

Drawn sample_slice(const Op&, SampleContext& context) {
  const auto self = pick_of_rank(context, 1);
  if (!self) return std::nullopt;
  const Layout& layout = context.meta(*self).layout;
  const int64_t dim = draw_dim(context.choices(), layout.rank());
  const int64_t size = layout.sizes[static_cast<int>(dim < 0 ? dim + layout.rank() : dim)];
  DrawnSlice drawn = draw_slice(context.choices(), size);
  return std::vector<Argument>{*self, integer_argument(dim), std::move(drawn.start), std::move(drawn.end),
                               integer_argument(drawn.step)};
}

Drawn sample_narrow(const Op&, SampleContext& context) {
  const auto self = pick_of_rank(context, 1);
  if (!self) return std::nullopt;
  const Layout& layout = context.meta(*self).layout;
  Choices& choices = context.choices();
  const int64_t dim = draw_dim(choices, layout.rank());
  const int64_t size = layout.sizes[static_cast<int>(dim < 0 ? dim + layout.rank() : dim)];
  const int64_t start = choices.between(0, std::max<int64_t>(size - 1, 0));
  const int64_t length =
      choices.chance(5) ? 0 : size - start - choices.between(0, std::max<int64_t>(size - start - 1, 0));
  const bool negative = size > 0 && choices.chance(20);
  return std::vector<Argument>{*self, integer_argument(dim), integer_argument(negative ? start - size : start),
                               integer_argument(length)};
}

Drawn sample_diagonal(const Op&, SampleContext& context) {
  const auto self = pick_of_rank(context, 2);
  if (!self) return std::nullopt;
  Choices& choices = context.choices();
  const auto [rows, columns] = draw_dim_pair(choices, context.meta(*self).layout.rank());
  const int64_t offset = choices.chance(40) ? choices.between(-1, 1) : 0;
  return std::vector<Argument>{*self, integer_argument(offset), integer_argument(rows), integer_argument(columns)};
}

Drawn sample_unfold(const Op&, SampleContext& context) {
  const auto self = context.pick([](const Candidate&, const TensorMeta& meta) {
    const Layout& layout = meta.layout;
    return layout.rank() > 0 && layout.rank() < max_sample_rank && layout.numel() > 0 &&
           layout.numel() * 4 <= max_sample_elements;
  });
  if (!self) return std::nullopt;
  const Layout& layout = context.meta(*self).layout;
  Choices& choices = context.choices();
  const int64_t dim = choices.between(0, layout.rank() - 1);
  const int64_t size = choices.between(1, std::min<int64_t>(layout.sizes[static_cast<int>(dim)], 4));
  // Windows that do not overlap half of the time, so that they may be written to.
  const int64_t step = choices.chance(50) ? size : choices.between(1, 2);
  return std::vector<Argument>{*self, integer_argument(dim), integer_argument(size), integer_argument(step)};
}

Drawn sample_as_strided(const Op&, SampleContext& context) {
  const auto self = context.pick([](const Candidate&, const TensorMeta& meta) { return meta.layout.numel() > 0; });
  if (!self) return std::nullopt;
  Choices& choices = context.choices();
  const int64_t elements = known_elements(context.metas(), context.meta(*self).storage);
  const int64_t offset = choices.between(0, std::min<int64_t>(elements - 1, 3));
  int64_t room = elements - offset - 1;  // how far the last element may still move
  IntList sizes;
  IntList strides;
  int64_t stride = 1;
  const int64_t rank = choices.between(1, 2);
  for (int64_t i = 0; i < rank; ++i) {
    // Mostly over what the inner dim reaches, so that the elements are distinct and the result may be written to.
    const int64_t drawn_stride = choices.chance(15) ? choices.between(0, 2) : stride + choices.between(0, 1);
    const int64_t largest = drawn_stride == 0 ? 3 : std::min<int64_t>(room / drawn_stride + 1, 4);
    const int64_t size = choices.between(1, largest);
    room -= (size - 1) * drawn_stride;
    stride = std::max(stride, drawn_stride * size);
    sizes.insert(sizes.begin(), size);
    strides.insert(strides.begin(), drawn_stride);
  }
  return std::vector<Argument>{*self, std::move(sizes), std::move(strides), integer_argument(offset)};
}

}  // namespace

std::vector<OpDef> window_family() {
  return {
      {.schema = "select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)",
       .infer = infer_view<select>,
       .sample = sample_select},
      {.schema = "slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> "
                 "Tensor(a)",
       .infer = infer_view<slice>,
       .sample = sample_slice},
      {.schema = "narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)",
       .infer = infer_view<narrow>,
       .sample = sample_narrow},
      {.schema = "diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)",
       .infer = infer_view<diagonal>,
       .sample = sample_diagonal},
      {.schema = "unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)",
       .infer = infer_view<unfold>,
       .sample = sample_unfold},
      {.schema = "as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a)",
       .infer = infer_view<as_strided>,
       .sample = sample_as_strided},
      {.schema = "resize_(Tensor(a!) self, SymInt[] size, *, MemoryFormat? memory_format=None) -> Tensor(a!)",
       .infer = infer_resize},
      {.schema = "resize_as_(Tensor(a!) self, Tensor the_template, *, MemoryFormat? memory_format=None) -> "
                 "Tensor(a!)",
       .infer = infer_resize_as},
  };
}

}  // namespace parallax
