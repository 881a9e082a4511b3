// Views of the whole tensor: the same elements under other dims, and the in-place forms that give a tensor other dims.
// What they mean is their layout (ops/view_layout.h), so they have no kernel.
#include <algorithm>

#include "ops/families.h"
#include "ops/sample.h"
#include "ops/view_layout.h"
#include "ops/view_sample.h"

namespace parallax {
namespace {

Result<Layout> same(const Call& call) { return self_layout(call); }
Result<Layout> view(const Call& call) { return view_layout(self_layout(call), call.integers(arg::size)); }
Result<Layout> expand(const Call& call) { return expand_layout(self_layout(call), call.integers(arg::size)); }
Result<Layout> permute(const Call& call) { return permute_layout(self_layout(call), call.integers(arg::dims)); }
Result<Layout> transpose(const Call& call) {
  return transpose_layout(self_layout(call), call.integer(arg::dim0), call.integer(arg::dim1));
}
Result<Layout> movedim(const Call& call) {
  return movedim_layout(self_layout(call), call.integer(arg::source), call.integer(arg::destination));
}
Result<Layout> t(const Call& call) { return t_layout(self_layout(call)); }
Result<Layout> squeeze(const Call& call) { return squeeze_all_layout(self_layout(call)); }
Result<Layout> squeeze_dim(const Call& call) {
  return squeeze_layout(self_layout(call), IntList{call.integer(arg::dim)});
}
Result<Layout> squeeze_dims(const Call& call) { return squeeze_layout(self_layout(call), call.integers(arg::dim)); }
Result<Layout> unsqueeze(const Call& call) { return unsqueeze_layout(self_layout(call), call.integer(arg::dim)); }

// One dim as several: what is not a view of the tensor is refused.
Result<Layout> unflatten(const Call& call) {
  const Layout& self = self_layout(call);
  const IntList& split = call.integers(arg::sizes);
  TRY(const int dim, existing_dim(call.integer(arg::dim), self.rank()));
  if (split.empty()) return fail("a dim is unflattened into at least one");
  TRY(const Dims parts, infer_sizes(split, self.sizes[dim]));
  IntList sizes(self.sizes.begin(), self.sizes.begin() + dim);
  sizes.insert(sizes.end(), parts.begin(), parts.end());
  sizes.insert(sizes.end(), self.sizes.begin() + dim + 1, self.sizes.end());
  return view_layout(self, sizes);
}

Drawn sample_same(const Op&, SampleContext& context) {
  const auto self = pick_tensor(context);
  if (!self) return std::nullopt;
  return std::vector<Argument>{*self};
}

Drawn sample_view(const Op&, SampleContext& context) {
  const auto self = pick_tensor(context);
  if (!self) return std::nullopt;
  const Layout& layout = context.meta(*self).layout;
  IntList sizes(layout.sizes.begin(), layout.sizes.end());
  if (layout.numel() > 0) {
    IntList drawn = draw_factorisation(context.choices(), layout.numel());
    if (view_strides(layout, Dims(drawn))) sizes = std::move(drawn);
  }
  if (!sizes.empty() && layout.numel() > 0 && context.choices().chance(20)) {
    sizes[context.choices().below(sizes.size())] = -1;
  }
  return std::vector<Argument>{*self, std::move(sizes)};
}

Drawn sample_expand(const Op&, SampleContext& context) {
  const auto self = context.pick([](const Candidate&, const TensorMeta& meta) {
    return meta.layout.rank() < max_sample_rank && meta.layout.numel() * 9 <= max_sample_elements;
  });
  if (!self) return std::nullopt;
  Choices& choices = context.choices();
  IntList sizes;
  bool repeated = false;
  for (int64_t size : context.meta(*self).layout.sizes) {
    const bool repeat = size == 1 && !repeated && choices.chance(60);
    repeated = repeated || repeat;
    sizes.push_back(repeat ? choices.between(2, 3) : choices.chance(20) ? -1 : size);
  }
  if (choices.chance(repeated ? 20 : 60)) sizes.insert(sizes.begin(), choices.between(1, 3));
  return std::vector<Argument>{*self, std::move(sizes), Scalar(false)};
}

Drawn sample_permute(const Op&, SampleContext& context) {
  const auto self = pick_of_rank(context, 1);
  if (!self) return std::nullopt;
  return std::vector<Argument>{*self, draw_permutation(context.choices(), context.meta(*self).layout.rank())};
}

// transpose and movedim.
Drawn sample_two_dims(const Op&, SampleContext& context) {
  const auto self = pick_of_rank(context, 2);
  if (!self) return std::nullopt;
  const auto [first, second] = draw_dim_pair(context.choices(), context.meta(*self).layout.rank());
  return std::vector<Argument>{*self, integer_argument(first), integer_argument(second)};
}

Drawn sample_t(const Op&, SampleContext& context) {
  auto self = context.pick([](const Candidate&, const TensorMeta& meta) { return meta.layout.rank() == 2; });
  if (!self) self = context.pick([](const Candidate&, const TensorMeta& meta) { return meta.layout.rank() < 2; });
  if (!self) return std::nullopt;
  return std::vector<Argument>{*self};
}

// A dim to squeeze: one of size 1 where there is one, else any, which leaves the tensor as it is.
int64_t draw_unit_dim(Choices& choices, const Layout& layout) {
  IntList units;
  for (int i = 0; i < layout.rank(); ++i) {
    if (layout.sizes[i] == 1) units.push_back(i);
  }
  return units.empty() ? draw_dim(choices, layout.rank()) : choices.pick(units);
}

std::optional<ValueId> pick_squeezable(const SampleContext& context) {
  const auto self = context.pick([](const Candidate&, const TensorMeta& meta) {
    return std::find(meta.layout.sizes.begin(), meta.layout.sizes.end(), 1) != meta.layout.sizes.end();
  });
  return self ? self : pick_of_rank(context, 1);
}

Drawn sample_squeeze(const Op&, SampleContext& context) {
  const auto self = pick_squeezable(context);
  if (!self) return std::nullopt;
  return std::vector<Argument>{*self};
}

Drawn sample_squeeze_dim(const Op&, SampleContext& context) {
  const auto self = pick_squeezable(context);
  if (!self) return std::nullopt;
  return std::vector<Argument>{*self, integer_argument(draw_unit_dim(context.choices(), context.meta(*self).layout))};
}

Drawn sample_squeeze_dims(const Op&, SampleContext& context) {
  const auto self = pick_squeezable(context);
  if (!self) return std::nullopt;
  const Layout& layout = context.meta(*self).layout;
  IntList dims{draw_unit_dim(context.choices(), layout)};
  const int64_t other = context.choices().between(0, layout.rank() - 1);
  if (other != (dims[0] < 0 ? dims[0] + layout.rank() : dims[0])) dims.push_back(other);
  return std::vector<Argument>{*self, std::move(dims)};
}

Drawn sample_unsqueeze(const Op&, SampleContext& context) {
  const auto self =
      context.pick([](const Candidate&, const TensorMeta& meta) { return meta.layout.rank() < max_sample_rank; });
  if (!self) return std::nullopt;
  return std::vector<Argument>{*self,
                               integer_argument(draw_dim(context.choices(), context.meta(*self).layout.rank() + 1))};
}

Drawn sample_unflatten(const Op&, SampleContext& context) {
  const auto self = context.pick([](const Candidate&, const TensorMeta& meta) {
    const int rank = meta.layout.rank();
    return rank > 0 && rank < max_sample_rank && meta.layout.numel() > 0;
  });
  if (!self) return std::nullopt;
  Choices& choices = context.choices();
  const Layout& layout = context.meta(*self).layout;
  const int64_t dim = draw_dim(choices, layout.rank());
  const int64_t size = layout.sizes[static_cast<int>(dim < 0 ? dim + layout.rank() : dim)];
  IntList sizes = draw_factorisation(choices, size);
  // The dims that there are and those that come make up no more than a sampled tensor has.
  while (static_cast<int>(sizes.size()) > max_sample_rank - layout.rank() + 1) {
    const int64_t last = sizes.back();
    sizes.pop_back();
    sizes.back() *= last;
  }
  if (sizes.empty()) sizes.push_back(size);
  if (choices.chance(20)) sizes[choices.below(sizes.size())] = -1;
  return std::vector<Argument>{*self, integer_argument(dim), std::move(sizes)};
}

}  // namespace

std::vector<OpDef> view_family() {
  return {
      {.schema = "alias(Tensor(a) self) -> Tensor(a)", .infer = infer_view<same>, .sample = sample_same},
      {.schema = "detach(Tensor(a) self) -> Tensor(a)", .infer = infer_view<same>, .sample = sample_same},
      {.schema = "view(Tensor(a) self, SymInt[] size) -> Tensor(a)", .infer = infer_view<view>, .sample = sample_view},
      {.schema = "expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)",
       .infer = infer_view<expand>,
       .sample = sample_expand},
      {.schema = "permute(Tensor(a) self, int[] dims) -> Tensor(a)",
       .infer = infer_view<permute>,
       .sample = sample_permute},
      {.schema = "transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)",
       .infer = infer_view<transpose>,
       .sample = sample_two_dims},
      {.schema = "movedim.int(Tensor(a) self, int source, int destination) -> Tensor(a)",
       .infer = infer_view<movedim>,
       .sample = sample_two_dims},
      {.schema = "t(Tensor(a) self) -> Tensor(a)", .infer = infer_view<t>, .sample = sample_t},
      {.schema = "squeeze(Tensor(a) self) -> Tensor(a)", .infer = infer_view<squeeze>, .sample = sample_squeeze},
      {.schema = "squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)",
       .infer = infer_view<squeeze_dim>,
       .sample = sample_squeeze_dim},
      {.schema = "squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)",
       .infer = infer_view<squeeze_dims>,
       .sample = sample_squeeze_dims},
      {.schema = "unsqueeze(Tensor(a) self, int dim) -> Tensor(a)",
       .infer = infer_view<unsqueeze>,
       .sample = sample_unsqueeze},
      {.schema = "unflatten.int(Tensor(a) self, int dim, SymInt[] sizes) -> Tensor(a)",
       .infer = infer_view<unflatten>,
       .sample = sample_unflatten},
      {.schema = "t_(Tensor(a!) self) -> Tensor(a!)",
       .infer = infer_view<t>,
       .sample = sample_inplace_twin,
       .functional = "aten.t.default"},
      {.schema = "squeeze_.dim(Tensor(a!) self, int dim) -> Tensor(a!)",
       .infer = infer_view<squeeze_dim>,
       .sample = sample_inplace_twin,
       .functional = "aten.squeeze.dim"},
      {.schema = "unsqueeze_(Tensor(a!) self, int dim) -> Tensor(a!)",
       .infer = infer_view<unsqueeze>,
       .sample = sample_inplace_twin,
       .functional = "aten.unsqueeze.default"},
      {.schema = "transpose_(Tensor(a!) self, int dim0, int dim1) -> Tensor(a!)",
       .infer = infer_view<transpose>,
       .sample = sample_inplace_twin,
       .functional = "aten.transpose.int"},
  };
}

}  // namespace parallax
