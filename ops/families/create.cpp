// Creation: zeros, ones and new tensors of one number in the shape that is asked for.
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/sample.h"
#include "ops/view_layout.h"

namespace parallax {
namespace {

using Metas = Result<std::vector<ResultMeta>>;

// Where the parameters of an overload stand; -1 for one that it does not have.
struct Positions {
  int like = -1;  // the tensor whose dtype is the default, else f32
  int size = 0;
  int value = -1;
  int dtype = 1;
};
constexpr Positions plain = {-1, 0, -1, 1};
constexpr Positions like = {0, 1, -1, 2};
constexpr Positions like_with_value = {0, 1, 2, 3};

template <const Positions& at>
Metas infer_created(const Call& call) {
  const Result<Dims> sizes = to_sizes(call.integers(at.size));
  if (!sizes) return in_op(call, sizes.error());
  const DType default_dtype = at.like < 0 ? DType::F32 : call.tensor(at.like).dtype;
  const DType dtype = call.dtype(at.dtype).value_or(default_dtype);
  if (at.value >= 0) TRY_VOID(check_fits(call, call.scalar(at.value), dtype));
  return fresh_result(dtype, contiguous_layout(*sizes));
}

template <const Positions& at, int64_t number>
Result<void> reference_created(const ReferenceCall& call) {
  const BallView& output = call.output();
  const Scalar value = at.value >= 0 ? call.scalar(at.value) : Scalar(number);
  const BallMath math(output.floating() ? output.dtype : DType::F32, call.profile());
  for_each_element(output.layout, [&](int64_t element) {
    if (output.floating()) {
      output.ball(element) = math.scalar(as_double(value));
    } else {
      output.integer(element) = {number_as(output.dtype, value), Undecided::No};
    }
  });
  return {};
}

template <const Positions& at>
std::optional<std::vector<Argument>> sample_created(const Op& op, SampleContext& context) {
  Choices& choices = context.choices();
  std::vector<Argument> given;
  const auto self = pick_tensor(context);
  if (!self) return std::nullopt;
  // Shapes that others in the pool have are the ones that something can be done with.
  const Dims& sizes = context.meta(*self).layout.sizes;
  if (at.like >= 0) given.emplace_back(*self);
  given.emplace_back(IntList(sizes.begin(), sizes.end()));
  if (at.value >= 0) given.emplace_back(draw_scalar(choices, context.meta(*self).dtype));
  std::vector<Argument> arguments = with_defaults(op, std::move(given));
  if (at.value < 0 && choices.chance(40)) arguments[static_cast<std::size_t>(at.dtype)] = draw_dtype(choices);
  return arguments;
}

template <const Positions& at, int64_t number>
OpDef created(std::string_view schema) {
  return {.schema = schema,
          .infer = infer_created<at>,
          .reference = reference_created<at, number>,
          .sample = sample_created<at>};
}

}  // namespace

std::vector<OpDef> create_family() {
  return {
      created<plain, 0>("zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
                        "bool? pin_memory=None) -> Tensor"),
      created<plain, 1>("ones(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
                        "bool? pin_memory=None) -> Tensor"),
      created<like, 0>("new_zeros(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? "
                       "device=None, bool? pin_memory=None) -> Tensor"),
      created<like, 1>("new_ones(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? "
                       "device=None, bool? pin_memory=None) -> Tensor"),
      created<like_with_value, 0>("new_full(Tensor self, SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, "
                                  "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"),
  };
}

}  // namespace parallax
