// Creation: zeros, ones and new tensors of one number in the shape that is asked for.
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/sample.h"
#include "ops/view_layout.h"

namespace parallax {
namespace {

using Metas = Result<std::vector<ResultMeta>>;

// Where there is a tensor, its dtype is the default.
Metas infer_created(const Call& call) {
  const Result<Dims> sizes = to_sizes(call.integers(arg::size));
  if (!sizes) return in_op(call, sizes.error());
  const DType default_dtype = call.takes(arg::self) ? call.tensor(arg::self).dtype : DType::F32;
  const DType dtype = call.dtype(arg::dtype).value_or(default_dtype);
  if (call.takes(arg::fill_value)) TRY_VOID(check_fits(call, call.scalar(arg::fill_value), dtype));
  return fresh_result(dtype, contiguous_layout(*sizes));
}

template <int64_t number>
Result<void> reference_created(const ReferenceCall& call) {
  const BallView& output = call.output();
  const Scalar value = call.takes(arg::fill_value) ? call.scalar(arg::fill_value) : Scalar(number);
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

std::optional<std::vector<Argument>> sample_created(const Op& op, SampleContext& context) {
  Choices& choices = context.choices();
  const bool takes_value = op.schema.index_of(arg::fill_value) >= 0;
  std::vector<Argument> given;
  const auto self = pick_tensor(context);
  if (!self) return std::nullopt;
  // Shapes that others in the pool have are the ones that something can be done with.
  const Dims& sizes = context.meta(*self).layout.sizes;
  if (op.schema.index_of(arg::self) >= 0) given.emplace_back(*self);
  given.emplace_back(IntList(sizes.begin(), sizes.end()));
  if (takes_value) given.emplace_back(draw_scalar(choices, context.meta(*self).dtype));
  std::vector<Argument> arguments = with_defaults(op, std::move(given));
  if (takes_value || !choices.chance(40)) return arguments;
  return with_argument(op, std::move(arguments), arg::dtype, draw_dtype(choices));
}

template <int64_t number>
OpDef created(std::string_view schema) {
  return {.schema = schema, .infer = infer_created, .reference = reference_created<number>, .sample = sample_created};
}

}  // namespace

std::vector<OpDef> create_family() {
  return {
      created<0>("zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
                 "bool? pin_memory=None) -> Tensor"),
      created<1>("ones(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
                 "bool? pin_memory=None) -> Tensor"),
      created<0>("new_zeros(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? "
                 "device=None, bool? pin_memory=None) -> Tensor"),
      created<1>("new_ones(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? "
                 "device=None, bool? pin_memory=None) -> Tensor"),
      created<0>("new_full(Tensor self, SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, "
                 "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"),
  };
}

}  // namespace parallax
