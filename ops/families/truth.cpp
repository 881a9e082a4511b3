// Reductions of truth: any, all, count_nonzero. An element is true where it is not 0; NaN is true.
#include <cmath>

#include "ops/cast.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/lanes.h"
#include "ops/view_layout.h"

namespace parallax {
namespace {

// any.dims and all.dims take an empty list as it is: no dim is reduced.
bool reduces_nothing(const Call& call) {
  const auto* dims = call.has(arg::dim) ? std::get_if<IntList>(&call.argument(arg::dim)) : nullptr;
  return dims && dims->empty();
}

Result<DimMask> truth_dims(const Call& call) {
  if (reduces_nothing(call)) return DimMask(static_cast<std::size_t>(call.tensor(arg::self).layout.rank()), false);
  return reduced_dims(call);
}

// u8 stood for bool before there was one, and still gives u8.
Result<std::vector<ResultMeta>> infer_truth(const Call& call) {
  TRY(const DimMask reduced, truth_dims(call));
  const bool keep = call.takes(arg::keepdim) && call.boolean(arg::keepdim);
  const DType dtype = call.tensor(arg::self).dtype == DType::U8 ? DType::U8 : DType::Bool;
  return fresh_result(dtype, contiguous_layout(reduced_sizes(call.tensor(arg::self).layout.sizes, reduced, keep)));
}

// Whether some element has that truth: decided by one that surely has it.
IntegerBall any_is(bool wanted, const std::vector<IntegerBall>& truths) {
  IntegerBall result{!wanted, Undecided::No};
  for (const IntegerBall& truth : truths) {
    if (truth.undecided != Undecided::No) {
      result.undecided = truth.undecided;
    } else if ((truth.value != 0) == wanted) {
      return {wanted, Undecided::No};
    }
  }
  return result;
}

// The truths of a lane's elements. A target that does not keep NaN may take it for 0.
std::vector<IntegerBall> truths_of(const ReferenceCall& call, std::span<const int64_t> lane) {
  const BallView& self = call.input(arg::self);
  std::vector<IntegerBall> truths = lane_integers(self, lane, DType::Bool);
  if (!self.floating() || !call.allows(Form::LostNan)) return truths;
  for (std::size_t i = 0; i < truths.size(); ++i) {
    const Ball& x = self.ball(lane[i]);
    if (x.may_nan || std::isnan(x.mid)) truths[i] = {1, Undecided::InexactToInteger};
  }
  return truths;
}

// all is not any false.
template <bool any>
Result<void> reference_truth(const ReferenceCall& call) {
  const Lanes lanes(call.input(arg::self).layout, *truth_dims(call));
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    call.output().integer(static_cast<int64_t>(i)) = any_is(any, truths_of(call, lanes[i]));
  }
  return {};
}

Result<std::vector<ResultMeta>> infer_count(const Call& call) {
  TRY(const Layout layout, reduced_layout(call));
  return fresh_result(DType::I64, layout);
}

Result<void> reference_count(const ReferenceCall& call) {
  const Lanes lanes(call.input(arg::self).layout, *reduced_dims(call));
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    IntegerBall& count = call.output().integer(static_cast<int64_t>(i));
    count = {};
    for (const IntegerBall& truth : truths_of(call, lanes[i])) {
      count = {count.value + truth.value, first_undecided({count, truth})};
    }
  }
  return {};
}

std::optional<std::vector<Argument>> sample_truth(const Op& op, SampleContext& context) {
  return sample_lanes(op, context);
}

template <bool is_any>
OpDef truth(std::string_view schema) {
  return {.schema = schema, .infer = infer_truth, .reference = reference_truth<is_any>, .sample = sample_truth};
}

OpDef count(std::string_view schema) {
  return {.schema = schema, .infer = infer_count, .reference = reference_count, .sample = sample_truth};
}

}  // namespace

std::vector<OpDef> truth_family() {
  return {
      truth<true>("any(Tensor self) -> Tensor"),
      truth<true>("any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor"),
      truth<true>("any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor"),
      truth<false>("all(Tensor self) -> Tensor"),
      truth<false>("all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor"),
      truth<false>("all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor"),
      count("count_nonzero(Tensor self, int? dim=None) -> Tensor"),
      count("count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor"),
  };
}

}  // namespace parallax
