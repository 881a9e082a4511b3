// Search: where a value would stand in a sorted sequence (searchsorted, bucketize).
//
// Eager bisects. On a sequence that is not sorted, or not known well enough to be, the answer depends on how it does,
// so it is decided only where every bisection agrees.
#include <algorithm>
#include <string>

#include "ops/ball_math.h"
#include "ops/cast.h"
#include "ops/copying.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/indices.h"
#include "ops/view_layout.h"

namespace parallax {
namespace {

// bucketize takes one sequence for all values, its boundaries.
bool takes_boundaries(const Call& call) { return call.takes(arg::boundaries); }
arg sequence_name(const Call& call) { return takes_boundaries(call) ? arg::boundaries : arg::sorted_sequence; }

Dims value_sizes(const Call& call) { return call.is_tensor(arg::self) ? call.tensor(arg::self).layout.sizes : Dims(); }

// What the elements and the values are compared as.
DType compared_dtype(const Call& call) { return result_type(call, {sequence_name(call), arg::self}); }

// Whether equal elements are passed: `right`, or a `side` that must not contradict it.
Result<bool> passes_equal(const Call& call) {
  const bool right = call.boolean(arg::right);
  if (!call.has(arg::side)) return right;
  const std::string& side = call.text(arg::side);
  if (side != "left" && side != "right") return refuse("a side '{}' is neither 'left' nor 'right'", side);
  if (side == "left" && right) return refuse("side is 'left' and right is true");
  return side == "right";
}

Result<void> check_sorter(const Call& call) {
  if (!call.has(arg::sorter)) return {};
  const TensorMeta& sorter = call.tensor(arg::sorter);
  TRY_VOID(check_index_dtype(sorter.dtype, IndexWidth::Wide));
  if (sorter.layout.sizes == call.tensor(sequence_name(call)).layout.sizes) return {};
  return refuse("the sorter's shape [{}] is not the sequence's", to_string(sorter.layout.sizes));
}

Result<void> check_search(const Call& call) {
  const Dims& sequence = call.tensor(sequence_name(call)).layout.sizes;
  const Dims values = value_sizes(call);
  if (sequence.empty() || (takes_boundaries(call) && sequence.size() != 1))
    return refuse("a sequence of {} dims", sequence.size());
  if (sequence.size() > 1) {
    bool fits = sequence.size() == values.size();
    for (int i = 0; fits && i + 1 < sequence.size(); ++i) fits = sequence[i] == values[i];
    if (!fits) return refuse("values of [{}] for sequences of [{}]", to_string(values), to_string(sequence));
  }
  if (compared_dtype(call) == DType::Bool) return refuse("bool is not taken");
  TRY_VOID(passes_equal(call));
  return check_sorter(call);
}

Metas infer_search(const Call& call) {
  if (const Result<void> checked = check_search(call); !checked) return in_op(call, checked.error());
  const DType dtype = call.boolean(arg::out_int32) ? DType::I32 : DType::I64;
  return std::vector{ResultMeta{dtype, contiguous_layout(value_sizes(call)), ValueId()}};
}

// Whether an element of the sequence stands in front of the value. A NaN of either does.
IntegerBall in_front(const Ball& element, const Ball& value, bool passes) {
  if (is_definite_nan(element) || is_definite_nan(value)) return {1, Undecided::No};
  if (element.may_nan || value.may_nan) return {0, Undecided::InexactCompare};
  return passes ? less_equal(element, value) : less(element, value);
}

IntegerBall in_front(const IntegerBall& element, const IntegerBall& value, bool passes) {
  const Undecided undecided = first_undecided({element, value});
  if (undecided != Undecided::No) return {0, undecided};
  return {passes ? element.value <= value.value : element.value < value.value, Undecided::No};
}

bool surely_sorted(const std::vector<Ball>& sequence) {
  return std::all_of(sequence.begin(), sequence.end(),
                     [](const Ball& x) { return x.is_exact() && !is_definite_nan(x); }) &&
         std::is_sorted(sequence.begin(), sequence.end(), [](const Ball& a, const Ball& b) { return a.mid < b.mid; });
}

bool surely_sorted(const std::vector<IntegerBall>& sequence) {
  return std::all_of(sequence.begin(), sequence.end(),
                     [](const IntegerBall& x) { return x.undecided == Undecided::No; }) &&
         std::is_sorted(sequence.begin(), sequence.end(),
                        [](const IntegerBall& a, const IntegerBall& b) { return a.value < b.value; });
}

// How many elements stand in front of the value.
template <class Element>
IntegerBall place_of(const std::vector<Element>& sequence, bool sorted, const Element& value, bool passes) {
  if (sorted) {
    // An inexact value has two ends; between them nothing may stand.
    const auto place = std::partition_point(sequence.begin(), sequence.end(), [&](const Element& x) {
      const IntegerBall front = in_front(x, value, passes);
      return front.undecided == Undecided::No && front.value != 0;
    });
    if (place != sequence.end()) {
      const IntegerBall next = in_front(*place, value, passes);
      if (next.undecided != Undecided::No) return {0, next.undecided};
    }
    return {place - sequence.begin(), Undecided::No};
  }
  int64_t count = 0;
  bool behind = false;
  for (const Element& element : sequence) {
    const IntegerBall front = in_front(element, value, passes);
    if (front.undecided != Undecided::No) return {0, front.undecided};
    if (front.value != 0 && behind) return {0, Undecided::InexactCompare};
    behind = front.value == 0;
    count += front.value;
  }
  return {count, Undecided::No};
}

// The elements of one sequence in the order that the sorter gives, or the reason why they are not known.
template <class Element, class Load>
Result<std::vector<Element>> sequence_of(const ReferenceCall& call, int64_t row, int64_t length,
                                         const std::vector<int64_t>& elements, Load&& load, Undecided& lost) {
  std::vector<Element> sequence;
  const bool sorts = call.has(arg::sorter);
  const std::vector<int64_t> sorter = sorts ? elements_of(call.input(arg::sorter).layout) : std::vector<int64_t>();
  for (int64_t i = 0; i < length; ++i) {
    int64_t from = i;
    if (sorts) {
      const IntegerBall& chosen = call.input(arg::sorter).integer(sorter[static_cast<std::size_t>(row * length + i)]);
      TRY_VOID(check_in_range(call, chosen, length));
      if (chosen.undecided != Undecided::No) lost = chosen.undecided;
      from = chosen.undecided == Undecided::No ? chosen.value : 0;
    }
    sequence.push_back(load(elements[static_cast<std::size_t>(row * length + from)]));
  }
  return sequence;
}

// One sequence for all values, or one for each row of them.
template <class Element, class Load, class Value>
Result<void> search(const ReferenceCall& call, Load&& load, Value&& value) {
  const BallView& output = call.output();
  const Layout& layout = call.input(sequence_name(call)).layout;
  const int64_t length = layout.sizes.back();
  const int64_t count = output.layout.numel();
  const int64_t rows = layout.rank() == 1 ? 1 : count / std::max<int64_t>(output.layout.sizes.back(), 1);
  const std::vector<int64_t> elements = elements_of(layout);
  TRY(const bool passes, passes_equal(call));
  for (int64_t row = 0; row < rows && count > 0; ++row) {
    Undecided lost = Undecided::No;
    TRY(const std::vector<Element> sequence, sequence_of<Element>(call, row, length, elements, load, lost));
    const bool sorted = surely_sorted(sequence);
    for (int64_t i = row * (count / rows); i < (row + 1) * (count / rows); ++i) {
      const IntegerBall place = place_of(sequence, sorted, value(static_cast<std::size_t>(i)), passes);
      output.integer(i) = lost == Undecided::No ? place : IntegerBall{0, lost};
    }
  }
  return {};
}

Result<void> reference_search(const ReferenceCall& call) {
  const DType dtype = compared_dtype(call);
  const BallView& sequence = call.input(sequence_name(call));
  const Operand value(call, arg::self, call.output().layout.sizes, dtype);
  if (is_floating(dtype)) {
    return search<Ball>(
        call, [&](int64_t element) { return element_as_ball(sequence, element, dtype, call.profile()); },
        [&](std::size_t i) { return value.ball(i); });
  }
  return search<IntegerBall>(
      call, [&](int64_t element) { return element_as_integer(sequence, element, dtype); },
      [&](std::size_t i) { return value.integer(i); });
}

// A drawn sequence is hardly ever sorted, so the generator does not make these.
OpDef searching(std::string_view schema) {
  return {.schema = schema, .infer = infer_search, .reference = reference_search};
}

}  // namespace

std::vector<OpDef> search_family() {
  return {
      searching("searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool "
                "right=False, str? side=None, Tensor? sorter=None) -> Tensor"),
      searching("searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool "
                "right=False, str? side=None, Tensor? sorter=None) -> Tensor"),
      searching("bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool "
                "right=False) -> Tensor"),
      searching("bucketize.Scalar(Scalar self, Tensor boundaries, *, bool out_int32=False, bool "
                "right=False) -> Tensor"),
  };
}

}  // namespace parallax
