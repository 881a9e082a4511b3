// Scatters: a copy of a tensor with a source in the place of a window.
#include <algorithm>

#include "ops/copying.h"
#include "ops/families.h"
#include "ops/sample.h"
#include "ops/view_layout.h"
#include "ops/view_sample.h"

namespace parallax {
namespace {

std::optional<int64_t> optional_integer(const Call& call, arg name) {
  return call.has(name) ? std::optional(call.integer(name)) : std::nullopt;
}

// The window that a scatter writes, in a clone of self whose layout is `clone`.
using WindowFn = Result<Layout> (*)(const Call& call, const Layout& clone);

Result<Layout> sliced(const Call& call, const Layout& clone) {
  return slice_layout(clone, call.integer(arg::dim), optional_integer(call, arg::start),
                      optional_integer(call, arg::end), call.integer(arg::step));
}
Result<Layout> selected(const Call& call, const Layout& clone) {
  return select_layout(clone, call.integer(arg::dim), call.integer(arg::index));
}
Result<Layout> diagonal(const Call& call, const Layout& clone) {
  return diagonal_layout(clone, call.integer(arg::offset), call.integer(arg::dim1), call.integer(arg::dim2));
}
Result<Layout> strided(const Call& call, const Layout& clone) {
  const TensorMeta& self = call.tensor(arg::self);
  const auto inside = [&](int64_t elements) {
    return as_strided_layout(clone, call.integers(arg::size), call.integers(arg::stride),
                             optional_integer(call, arg::storage_offset), elements);
  };
  // As in as_strided: whether the operand alone reaches far enough is seen at once.
  const bool expanded = is_expanded(self.layout);
  Result<Layout> window_or = inside(expanded ? clone.numel() : self.layout.numel() > 0 ? self.layout.extent() : 0);
  if (!window_or && !expanded) window_or = inside(known_elements(call.metas(), self.storage));
  TRY(const Layout window, std::move(window_or));
  if (is_expanded(window)) return fail("the window is expanded, several of its elements are one memory location");
  return window;
}

template <WindowFn window_of>
Metas infer_scatter(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  const Layout clone = storage_clone_layout(self.layout);
  const Result<Layout> window = window_of(call, clone);
  if (!window) return in_op(call, window.error());
  const Dims& source = call.tensor(arg::src).layout.sizes;
  if (source != window->sizes) {
    return fail("{}: the source's shape [{}] is not the window's [{}]", call.op().name, to_string(source),
                to_string(window->sizes));
  }
  return std::vector{ResultMeta{self.dtype, clone, ValueId()}};
}

template <WindowFn window_of>
Result<void> reference_scatter(const ReferenceCall& call) {
  const BallView& output = call.output();
  const BallView& source = call.input(arg::src);
  clone_storage(call.input(arg::self), output, call.profile());
  TRY(const Layout window, window_of(call, output.layout));
  const std::vector<int64_t> from = elements_of(source.layout);
  const std::vector<int64_t> to = elements_of(window);
  // The clone's storage ends with its last element; what a strided window writes behind that, nothing can read.
  const int64_t end = output.layout.extent();
  UnorderedWriter writer(output, call.profile());
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (to[i] < end) writer.write(to[i], source, from[i]);
  }
  return {};
}

// A self and a source in the pool that fit: `fits(self sizes, source sizes)` says along which dims they do.
struct Pair {
  ValueId self;
  ValueId source;
  int dim = 0;
};

// Eager's result keeps self's strides and offset. Dense ones at the start keep generated storages without holes.
bool plain(const Layout& layout) { return layout.offset == 0 && layout.numel() > 0 && is_dense(layout); }

template <class Fits>
std::optional<Pair> pick_pair(SampleContext& context, Fits&& fits) {
  std::vector<Pair> pairs;
  for (const Candidate& self : context.pool()) {
    const TensorMeta& meta = context.meta(self.value);
    if (!plain(meta.layout)) continue;
    for (const Candidate& source : context.pool()) {
      const TensorMeta& other = context.meta(source.value);
      if (other.dtype != meta.dtype) continue;
      for (int dim = 0; dim < meta.layout.rank(); ++dim) {
        if (fits(meta.layout.sizes, other.layout.sizes, dim)) pairs.push_back({self.value, source.value, dim});
      }
    }
  }
  if (pairs.empty()) return std::nullopt;
  return context.choices().pick(pairs);
}

int64_t maybe_negative(Choices& choices, int64_t index, int64_t size) {
  return choices.chance(20) ? index - size : index;
}

Drawn sample_slice_scatter(const Op&, SampleContext& context) {
  const auto pair = pick_pair(context, [](const Dims& self, const Dims& source, int dim) {
    if (source.size() != self.size() || source[dim] > self[dim] || source[dim] == 0) return false;
    Dims expected = self;
    expected[dim] = source[dim];
    return source == expected;
  });
  if (!pair) return std::nullopt;
  Choices& choices = context.choices();
  const int64_t size = context.meta(pair->self).layout.sizes[pair->dim];
  const int64_t length = context.meta(pair->source).layout.sizes[pair->dim];
  const int64_t step = length == 1 ? 1 : choices.between(1, (size - 1) / (length - 1));
  const int64_t reach = (length - 1) * step + 1;
  const int64_t start = choices.between(0, size - reach);
  return std::vector<Argument>{pair->self,
                               pair->source,
                               integer_argument(pair->dim),
                               integer_argument(maybe_negative(choices, start, size)),
                               start + reach == size ? Argument() : integer_argument(start + reach),
                               integer_argument(step)};
}

Drawn sample_select_scatter(const Op&, SampleContext& context) {
  const auto pair = pick_pair(context, [](const Dims& self, const Dims& source, int dim) {
    Dims expected = self;
    expected.erase(dim);
    return source == expected;
  });
  if (!pair) return std::nullopt;
  const int64_t size = context.meta(pair->self).layout.sizes[pair->dim];
  const int64_t index = context.choices().between(0, size - 1);
  return std::vector<Argument>{pair->self, pair->source, integer_argument(pair->dim),
                               integer_argument(maybe_negative(context.choices(), index, size))};
}

// The other dim of the diagonal comes after `dim`.
Drawn sample_diagonal_scatter(const Op&, SampleContext& context) {
  const auto pair = pick_pair(context, [](const Dims& self, const Dims& source, int dim) {
    if (dim + 1 >= self.size()) return false;
    Dims expected = self;
    const int64_t length = std::min(self[dim], self[dim + 1]);
    expected.erase(dim + 1);
    expected.erase(dim);
    expected.push_back(length);
    return source == expected;
  });
  if (!pair) return std::nullopt;
  return std::vector<Argument>{pair->self, pair->source, integer_argument(0), integer_argument(pair->dim),
                               integer_argument(pair->dim + 1)};
}

// A row-major window at a drawn offset.
Drawn sample_as_strided_scatter(const Op&, SampleContext& context) {
  const auto pair = pick_pair(context, [](const Dims& self, const Dims& source, int dim) {
    return dim == 0 && checked_numel(source).value_or(INT64_MAX) <= *checked_numel(self);
  });
  if (!pair) return std::nullopt;
  const Dims& sizes = context.meta(pair->source).layout.sizes;
  const Dims strides = contiguous_strides(sizes);
  const int64_t room = context.meta(pair->self).layout.numel() - context.meta(pair->source).layout.numel();
  return std::vector<Argument>{pair->self, pair->source, IntList(sizes.begin(), sizes.end()),
                               IntList(strides.begin(), strides.end()),
                               integer_argument(context.choices().between(0, room))};
}

}  // namespace

std::vector<OpDef> scatter_family() {
  return {
      {.schema = "slice_scatter(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, "
                 "SymInt step=1) -> Tensor",
       .infer = infer_scatter<sliced>,
       .reference = reference_scatter<sliced>,
       .sample = sample_slice_scatter},
      {.schema = "select_scatter(Tensor self, Tensor src, int dim, SymInt index) -> Tensor",
       .infer = infer_scatter<selected>,
       .reference = reference_scatter<selected>,
       .sample = sample_select_scatter},
      {.schema = "diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor",
       .infer = infer_scatter<diagonal>,
       .reference = reference_scatter<diagonal>,
       .sample = sample_diagonal_scatter},
      {.schema = "as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, "
                 "SymInt? storage_offset=None) -> Tensor",
       .infer = infer_scatter<strided>,
       .reference = reference_scatter<strided>,
       .sample = sample_as_strided_scatter},
  };
}

}  // namespace parallax
