// Bit casts: the bytes of a tensor as elements of another dtype. Only the copying op is here, since a storage has one
// dtype and a view of another would have two.
#include <algorithm>
#include <cmath>

#include "core/tensor.h"
#include "ops/copying.h"
#include "ops/families.h"
#include "ops/sample.h"
#include "ops/view_layout.h"
#include "ops/view_sample.h"

namespace parallax {
namespace {

// How many elements of the smaller dtype take the memory of one of the larger.
int64_t ratio_of(DType a, DType b) { return std::max(size_of(a), size_of(b)) / std::min(size_of(a), size_of(b)); }

// Of another size of element the last dim grows or shrinks, whose elements then lie side by side.
Result<Dims> viewed_sizes(const TensorMeta& self, DType dtype) {
  const Layout& layout = self.layout;
  Dims sizes = layout.sizes;
  const int64_t ratio = ratio_of(self.dtype, dtype);
  if (ratio == 1) return sizes;
  const int last = layout.rank() - 1;
  if (last < 0) return fail("a tensor without dims as elements of another size");
  if (layout.strides[last] != 1) return fail("the last dim has stride {}", layout.strides[last]);
  if (size_of(dtype) < size_of(self.dtype)) {
    sizes[last] *= ratio;
    return sizes;
  }
  bool fits = sizes[last] % ratio == 0 && layout.offset % ratio == 0;
  for (int dim = 0; dim < last; ++dim) fits = fits && layout.strides[dim] % ratio == 0;
  if (!fits) return fail("its elements are not whole groups of {}", ratio);
  sizes[last] /= ratio;
  return sizes;
}

Metas infer_bit_cast(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  const DType dtype = *call.dtype(arg::dtype);
  // A byte that is neither 0 nor 1 is no bool, and what is made of it has no meaning.
  if (dtype == DType::Bool && self.dtype != DType::Bool) return fail("{}: bytes as bool", call.op().name);
  const Result<Dims> sizes = viewed_sizes(self, dtype);
  if (!sizes) return in_op(call, sizes.error());
  return std::vector{ResultMeta{dtype, contiguous_layout(*sizes), ValueId()}};
}

// The element's bytes in `elements`, or why they are not known: the bits of a NaN and the sign of a zero are open.
Undecided keep_bits(const BallView& view, int64_t element, Tensor& elements, int64_t place) {
  if (!view.floating()) {
    const IntegerBall& integer = view.integer(element);
    elements.set_integer(place, integer.value);
    return integer.undecided;
  }
  const Ball& ball = view.ball(element);
  if (!ball.decided()) return ball.undecided;
  if (!ball.is_exact() || std::isnan(ball.mid)) return Undecided::InexactToInteger;
  if (ball.mid == 0) return Undecided::SignedZero;
  elements.set_double(place, ball.mid);
  return Undecided::No;
}

Result<void> reference_bit_cast(const ReferenceCall& call) {
  const BallView& from = call.input(arg::self);
  const BallView& to = call.output();
  if (from.dtype == to.dtype) {
    copy_elements(from, to, call.profile());
    return {};
  }
  Tensor elements(from.dtype, from.layout.sizes);
  std::vector<Undecided> unknown;
  unknown.reserve(static_cast<std::size_t>(elements.numel()));
  for_each_element(from.layout, [&](int64_t element) {
    unknown.push_back(keep_bits(from, element, elements, static_cast<int64_t>(unknown.size())));
  });
  // Both are row-major, so that the bytes stand in the same order.
  Tensor viewed(to.dtype, to.layout.sizes);
  viewed.bytes = std::move(elements.bytes);
  const int64_t taken = std::max<int64_t>(size_of(to.dtype) / size_of(from.dtype), 1);  // elements that one is made of
  int64_t place = 0;
  for_each_element(to.layout, [&](int64_t element) {
    const auto first = unknown.begin() + place * size_of(to.dtype) / size_of(from.dtype);
    const auto reason = std::find_if(first, first + taken, [](Undecided one) { return one != Undecided::No; });
    const Undecided open = reason == first + taken ? Undecided::No : *reason;
    if (to.floating()) {
      to.ball(element) = open == Undecided::No ? Ball::exact(viewed.get_double(place)) : Ball::unknown(open);
    } else {
      to.integer(element) = {open == Undecided::No ? viewed.get_integer(place) : 0, open};
    }
    ++place;
  });
  return {};
}

// Mostly integers as integers: of a float only exact bits are known, and floats of any bits are seldom ordinary
// numbers.
constexpr int floats_drawn = 15;

Drawn sample_bit_cast(const Op&, SampleContext& context) {
  Choices& choices = context.choices();
  const bool floats = choices.chance(floats_drawn);
  auto self =
      context.pick([&](const Candidate&, const TensorMeta& meta) { return floats || !is_floating(meta.dtype); });
  if (!self) self = pick_tensor(context);
  if (!self) return std::nullopt;
  const TensorMeta& meta = context.meta(*self);
  std::vector<DType> fitting = {meta.dtype};
  for (int d = 0; d < dtype_count; ++d) {
    const auto dtype = static_cast<DType>(d);
    const bool is_usual = dtype != DType::Bool && (floats || !is_floating(dtype));
    if (is_usual && dtype != meta.dtype && viewed_sizes(meta, dtype)) fitting.push_back(dtype);
  }
  return std::vector<Argument>{*self, choices.pick(fitting)};
}

}  // namespace

std::vector<OpDef> bit_cast_family() {
  return {
      {.schema = "view_copy.dtype(Tensor self, ScalarType dtype) -> Tensor",
       .infer = infer_bit_cast,
       .reference = reference_bit_cast,
       .sample = sample_bit_cast},
  };
}

}  // namespace parallax
