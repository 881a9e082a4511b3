// Reductions of truth: any, all, count_nonzero. An element is true where it is not 0; NaN is true.
#include "ops/cast.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/lanes.h"
#include "ops/view_layout.h"

namespace parallax {
namespace {

constexpr ReductionParameters whole = {};
constexpr ReductionParameters by_dim = {1, 2, -1};
constexpr ReductionParameters by_dim_alone = {1, -1, -1};

// any.dims and all.dims take an empty list as it is: no dim is reduced.
bool reduces_nothing(const Call& call) {
  return call.op().schema.overload == "dims" && call.has(1) && call.integers(1).empty();
}

template <const ReductionParameters& at>
Result<DimMask> truth_dims(const Call& call) {
  if (reduces_nothing(call)) return DimMask(static_cast<std::size_t>(call.tensor(0).layout.rank()), false);
  return reduced_dims(call, at);
}

// u8 stood for bool before there was one, and still gives u8.
template <const ReductionParameters& at>
Result<std::vector<ResultMeta>> infer_truth(const Call& call) {
  TRY(const DimMask reduced, truth_dims<at>(call));
  const bool keep = at.keep >= 0 && call.boolean(at.keep);
  const DType dtype = call.tensor(0).dtype == DType::U8 ? DType::U8 : DType::Bool;
  return fresh_result(dtype, contiguous_layout(reduced_sizes(call.tensor(0).layout.sizes, reduced, keep)));
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

// all is not any false.
template <const ReductionParameters& at, bool any>
Result<void> reference_truth(const ReferenceCall& call) {
  const Lanes lanes(call.input(0).layout, *truth_dims<at>(call));
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    call.output().integer(static_cast<int64_t>(i)) = any_is(any, lane_integers(call.input(0), lanes[i], DType::Bool));
  }
  return {};
}

template <const ReductionParameters& at>
Result<std::vector<ResultMeta>> infer_count(const Call& call) {
  TRY(const Layout layout, reduced_layout(call, at));
  return fresh_result(DType::I64, layout);
}

template <const ReductionParameters& at>
Result<void> reference_count(const ReferenceCall& call) {
  const Lanes lanes(call.input(0).layout, *reduced_dims(call, at));
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    IntegerBall& count = call.output().integer(static_cast<int64_t>(i));
    count = {};
    for (const IntegerBall& truth : lane_integers(call.input(0), lanes[i], DType::Bool)) {
      count = {count.value + truth.value, first_undecided({count, truth})};
    }
  }
  return {};
}

std::optional<std::vector<Argument>> sample_truth(const Op& op, SampleContext& context) {
  return sample_lanes(op, context);
}

template <const ReductionParameters& at, bool is_any>
OpDef truth(std::string_view schema) {
  return {.schema = schema, .infer = infer_truth<at>, .reference = reference_truth<at, is_any>, .sample = sample_truth};
}

template <const ReductionParameters& at>
OpDef count(std::string_view schema) {
  return {.schema = schema, .infer = infer_count<at>, .reference = reference_count<at>, .sample = sample_truth};
}

}  // namespace

std::vector<OpDef> truth_family() {
  return {
      truth<whole, true>("any(Tensor self) -> Tensor"),
      truth<by_dim, true>("any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor"),
      truth<by_dim, true>("any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor"),
      truth<whole, false>("all(Tensor self) -> Tensor"),
      truth<by_dim, false>("all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor"),
      truth<by_dim, false>("all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor"),
      count<by_dim_alone>("count_nonzero(Tensor self, int? dim=None) -> Tensor"),
      count<by_dim_alone>("count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor"),
  };
}

}  // namespace parallax
