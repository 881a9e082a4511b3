// Embedding bags: rows of a table that indices name, summed, averaged or compared within each of a list of bags.
#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "ops/ball_dot.h"
#include "ops/ball_sum.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/indices.h"
#include "ops/running_extreme.h"
#include "ops/sample.h"
#include "ops/view_layout.h"

namespace parallax {
namespace {

enum class Mode : uint8_t { Sum, Mean, Max };

// The results: the bags, the bag of each index, the bags' sizes, and where the maxima come from.
constexpr int bag_of_index = 1;
constexpr int bag_sizes = 2;
constexpr int places_of_maxima = 3;

struct Plan {
  Mode mode = Mode::Sum;
  int64_t rows = 0;
  int64_t width = 0;
  int64_t indices = 0;
  int64_t bags = 0;
  bool last_offset = false;  // the last offset is the end of the last bag, and no bag of its own
  int64_t padding = -1;      // the row that counts for nothing; -1: none
};

// Where None stands for none, padding counts from the end; where it is a number, none is negative.
Result<int64_t> padding_of(const Call& call, int64_t rows) {
  if (!call.has(arg::padding_idx)) return -1;
  const int64_t padding = call.integer(arg::padding_idx);
  if (call.op().schema.overload != "padding_idx") return std::max<int64_t>(padding, -1);
  if (padding < -rows || padding >= rows) return refuse("{}: padding {} of {} rows", call.op().name, padding, rows);
  return padding < 0 ? padding + rows : padding;
}

Result<Plan> plan_bags(const Call& call) {
  const std::string& op = call.op().name;
  const TensorMeta& weight = call.tensor(arg::weight);
  const TensorMeta& indices = call.tensor(arg::indices);
  const TensorMeta& offsets = call.tensor(arg::offsets);
  if (!is_floating(weight.dtype)) return refuse("{} does not take {}", op, name(weight.dtype));
  if (weight.layout.rank() != 2) return refuse("{}: a table of {} dims", op, weight.layout.rank());
  for (const TensorMeta* index : {&indices, &offsets}) {
    const Result<void> checked = check_index_dtype(index->dtype);
    if (!checked) return in_op(call, checked.error());
    if (index->layout.rank() != 1) return refuse("{}: indices and offsets are vectors", op);
  }
  Plan plan;
  const int64_t mode = call.integer(arg::mode);
  if (mode < 0 || mode > 2) return refuse("{}: mode {}", op, mode);
  plan.mode = static_cast<Mode>(mode);
  plan.rows = weight.layout.sizes[0];
  plan.width = weight.layout.sizes[1];
  plan.indices = indices.layout.numel();
  plan.last_offset = call.boolean(arg::include_last_offset);
  plan.bags = offsets.layout.numel() - (plan.last_offset ? 1 : 0);
  if (offsets.layout.numel() == 0) return refuse("{}: no offsets", op);
  TRY(plan.padding, padding_of(call, plan.rows));
  if (call.has(arg::per_sample_weights)) {
    const TensorMeta& scales = call.tensor(arg::per_sample_weights);
    if (plan.mode != Mode::Sum) return refuse("{}: weights of samples are for sums", op);
    if (scales.dtype != weight.dtype || scales.layout.sizes != indices.layout.sizes) {
      return refuse("{}: weights of {}[{}] for {} indices", op, name(scales.dtype), to_string(scales.layout.sizes),
                    plan.indices);
    }
  }
  return plan;
}

// Eager's fast kernels leave out which bag each index is in.
bool says_bag_of_index(const Call& call, const Plan& plan) {
  const TensorMeta& weight = call.tensor(arg::weight);
  const bool scaled = call.has(arg::per_sample_weights);
  const bool fast = weight.dtype != DType::F64 && weight.layout.strides[1] == 1 && plan.padding < 0 &&
                    (!scaled || call.tensor(arg::per_sample_weights).layout.strides[0] == 1);
  return plan.mode != Mode::Sum || !fast;
}

Metas infer_bags(const Call& call) {
  TRY(const Plan plan, plan_bags(call));
  const bool wide = call.tensor(arg::indices).dtype == DType::I64 || call.tensor(arg::offsets).dtype == DType::I64;
  const DType index = wide ? DType::I64 : DType::I32;
  const Dims table{plan.bags, plan.width};
  const int64_t offsets = call.tensor(arg::offsets).layout.numel();
  // Without gradients eager leaves the sizes of summed bags as the offsets have them.
  const bool keeps_offsets = plan.mode == Mode::Sum && call.op().schema.name != "_embedding_bag";
  const int64_t sizes = keeps_offsets ? offsets : plan.bags;
  const auto result = [](DType dtype, const Dims& shape) {
    return ResultMeta{dtype, contiguous_layout(shape), ValueId()};
  };
  return std::vector{result(call.tensor(arg::weight).dtype, table),
                     result(index, {says_bag_of_index(call, plan) ? plan.indices : 0}), result(index, {sizes}),
                     result(index, plan.mode == Mode::Max ? table : Dims{sizes})};
}

// The ends of the bags as places of the list of indices, or what is not known of an offset.
struct Bounds {
  std::vector<int64_t> starts;
  int64_t end = 0;
  Undecided undecided = Undecided::No;
};

Result<Bounds> bounds_of(const ReferenceCall& call, const Plan& plan) {
  const BallView& offsets = call.input(arg::offsets);
  Bounds bounds;
  for (const int64_t element : elements_of(offsets.layout)) {
    const IntegerBall& offset = offsets.integer(element);
    if (bounds.undecided == Undecided::No) bounds.undecided = offset.undecided;
    bounds.starts.push_back(offset.value);
  }
  if (bounds.undecided != Undecided::No) {
    call.note_may_raise();
    return bounds;
  }
  if (bounds.starts.front() != 0) return refuse("offsets begin with {}, not with 0", bounds.starts.front());
  if (!std::ranges::is_sorted(bounds.starts)) return refuse("offsets descend");
  if (bounds.starts.back() > plan.indices) {
    return refuse("offset {} is over the number of indices, {}", bounds.starts.back(), plan.indices);
  }
  bounds.end = plan.indices;
  if (plan.last_offset) {
    bounds.end = bounds.starts.back();
    bounds.starts.pop_back();
  }
  return bounds;
}

void set_all(const ReferenceCall& call, Undecided reason) {
  for (const BallView& output : call.outputs()) set_all_undecided(output, reason);
}

// One bag's rows: the places in the list of indices that count.
struct Bag {
  std::vector<std::size_t> places;
  Undecided undecided = Undecided::No;  // of some index
};

class BagReader {
 public:
  BagReader(const ReferenceCall& call, const Plan& plan)
      : call_(&call), plan_(&plan), indices_(elements_of(call.input(arg::indices).layout)) {
    if (call.has(arg::per_sample_weights)) scales_ = elements_of(call.input(arg::per_sample_weights).layout);
  }

  const IntegerBall& index(std::size_t place) const { return call_->input(arg::indices).integer(indices_[place]); }
  Bag bag(int64_t first, int64_t end) const {
    Bag bag;
    for (auto place = static_cast<std::size_t>(first); place < static_cast<std::size_t>(end); ++place) {
      const IntegerBall& row = index(place);
      if (row.undecided != Undecided::No && bag.undecided == Undecided::No) bag.undecided = row.undecided;
      if (plan_->padding < 0 || row.value != plan_->padding) bag.places.push_back(place);
    }
    return bag;
  }
  const Ball& element(std::size_t place, int64_t column) const {
    const BallView& weight = call_->input(arg::weight);
    return weight.ball(storage_element(place, column));
  }
  int64_t storage_element(std::size_t place, int64_t column) const {
    const Layout& layout = call_->input(arg::weight).layout;
    return layout.offset + index(place).value * layout.strides[0] + column * layout.strides[1];
  }
  bool scaled() const { return !scales_.empty(); }
  const Ball& scale(std::size_t place) const { return call_->input(arg::per_sample_weights).ball(scales_[place]); }

 private:
  const ReferenceCall* call_;
  const Plan* plan_;
  std::vector<int64_t> indices_;
  std::vector<int64_t> scales_;
};

// Of halves, eager's kernel for padded bags adds as halves.
Ball sum_of(const BallMath& math, const BagReader& reader, const Bag& bag, int64_t column) {
  if (reader.scaled()) {
    BallDot dot(math);
    for (const std::size_t place : bag.places) {
      dot.add(Factor(reader.element(place, column)), Factor(reader.scale(place)));
    }
    return dot.result();
  }
  BallSum sum(math);
  for (const std::size_t place : bag.places) sum.add(reader.element(place, column));
  return sum.result();
}

// The largest of a bag and the row it is in. Eager compares by >, so that a NaN stays only where it is the first.
std::pair<Ball, IntegerBall> largest_of(const BallMath& math, const BagReader& reader, const Bag& bag, int64_t column) {
  RunningExtreme<Ball> largest(math, false, OfEqual::First);
  Ball rest;
  bool may_be_nan = false;
  bool has_rest = false;
  for (const std::size_t place : bag.places) {
    const Ball& x = reader.element(place, column);
    if (can_be_nan(x)) may_be_nan = true;
    largest.add(x, reader.storage_element(place, column));
    if (is_definite_nan(x)) continue;
    rest = has_rest ? hull(rest, x) : x;
    has_rest = true;
  }
  if (may_be_nan && bag.places.size() > 1) {
    if (!has_rest) return {Ball::exact(std::numeric_limits<double>::quiet_NaN()), {0, Undecided::InexactCompare}};
    rest.may_nan = true;
    return {rest, {0, Undecided::InexactCompare}};
  }
  const IntegerBall at = largest.index();
  if (at.undecided != Undecided::No) return {largest.value(), at};
  return {largest.value(), reader.index(bag.places[static_cast<std::size_t>(at.value)])};
}

void write_bag(const ReferenceCall& call, const Plan& plan, const BallMath& math, const BagReader& reader,
               const Bag& bag, int64_t number) {
  for (int64_t column = 0; column < plan.width; ++column) {
    const int64_t to = number * plan.width + column;
    Ball& result = call.output().ball(to);
    if (bag.undecided != Undecided::No) {
      result = Ball::unknown(bag.undecided);
      if (plan.mode == Mode::Max) call.output(places_of_maxima).integer(to) = {0, bag.undecided};
      continue;
    }
    if (plan.mode == Mode::Max) {
      IntegerBall& place = call.output(places_of_maxima).integer(to);
      place = {0, Undecided::No};
      result = Ball::exact(0);
      if (!bag.places.empty()) std::tie(result, place) = largest_of(math, reader, bag, column);
      continue;
    }
    result = sum_of(math, reader, bag, column);
    const auto count = static_cast<double>(bag.places.size());
    if (plan.mode == Mode::Mean && count > 1) result = math.div(result, Ball::exact(count));
  }
}

// Sizes are counted where something is divided by them or padded; of sums they are 0.
void write_sizes(const ReferenceCall& call, const Plan& plan, int64_t number, const Bag& bag) {
  if (plan.mode == Mode::Sum) return;
  const IntegerBall size{static_cast<int64_t>(bag.places.size()), bag.undecided};
  call.output(bag_sizes).integer(number) = size;
  if (plan.mode == Mode::Mean) call.output(places_of_maxima).integer(number) = size;
}

void write_bags_of_indices(const ReferenceCall& call, const Plan& plan, const Bounds& bounds) {
  const BallView& output = call.output(bag_of_index);
  for (int64_t i = 0; i < output.layout.numel(); ++i) {
    const auto after = std::ranges::upper_bound(bounds.starts, i);
    output.integer(i) = {after - bounds.starts.begin() - 1, i < bounds.end ? Undecided::No : Undecided::Uninitialized};
  }
  if (plan.mode != Mode::Sum) return;
  for (const int result : {bag_sizes, places_of_maxima}) {
    const BallView& sizes = call.output(result);
    for (int64_t i = 0; i < sizes.layout.numel(); ++i) sizes.integer(i) = {0, Undecided::No};
  }
}

Result<void> reference_bags(const ReferenceCall& call) {
  TRY(const Plan plan, plan_bags(call));
  TRY_VOID(check_all_in_range(call, call.input(arg::indices), plan.rows));
  TRY(const Bounds bounds, bounds_of(call, plan));
  if (bounds.undecided != Undecided::No) {
    set_all(call, bounds.undecided);
    return {};
  }
  const CallProfile profile = call.profile().with(Form::AccumulateInHalf);
  const BallMath math(call.output().dtype, profile);
  const BagReader reader(call, plan);
  for (int64_t number = 0; number < plan.bags; ++number) {
    const bool last = number + 1 == plan.bags;
    const int64_t first = bounds.starts[static_cast<std::size_t>(number)];
    const int64_t end = last ? bounds.end : bounds.starts[static_cast<std::size_t>(number) + 1];
    Bag bag = reader.bag(first, end);
    // Eager's kernels do not agree on whether indices beyond the last offset are in the last bag.
    if (last && bounds.end < plan.indices && bag.undecided == Undecided::No) bag.undecided = Undecided::Uninitialized;
    write_bag(call, plan, math, reader, bag, number);
    write_sizes(call, plan, number, bag);
  }
  write_bags_of_indices(call, plan, bounds);
  return {};
}

// Offsets are drawn as zeros, so that the last bag has all indices, and with a last offset no bag has any.
std::optional<std::vector<Argument>> sample_bags(const Op& op, SampleContext& context) {
  const auto weight = context.pick([](const Candidate&, const TensorMeta& meta) {
    return is_floating(meta.dtype) && meta.layout.rank() == 2 && meta.layout.numel() > 0;
  });
  if (!weight) return std::nullopt;
  const auto is_vector = [](const TensorMeta& meta) { return meta.layout.rank() == 1 && meta.layout.numel() > 0; };
  const auto indices = pick_index(context, IndexWidth::Either, is_vector);
  if (!indices) return std::nullopt;
  const StorageId storage = context.meta(*indices).storage;
  const auto offsets = pick_index(context, IndexWidth::Either,
                                  [&](const TensorMeta& meta) { return is_vector(meta) && meta.storage != storage; });
  if (!offsets) return std::nullopt;
  Choices& choices = context.choices();
  const int64_t mode = choices.between(0, 2);
  std::vector<Argument> arguments = {*weight,      *indices,      *offsets,   Scalar(false),
                                     Scalar(mode), Scalar(false), Argument(), Scalar(false)};
  if (op.schema.index_of(arg::padding_idx) >= 0) {
    const bool padded = choices.chance(40);
    const int64_t rows = context.meta(*weight).layout.sizes[0];
    const Argument none = op.schema.overload == "padding_idx" ? Argument() : Argument(Scalar(int64_t{-1}));
    arguments.push_back(padded ? Argument(Scalar(choices.between(0, rows - 1))) : none);
  }
  if (mode != 0 || !choices.chance(40)) return arguments;
  const auto scales = context.pick([&](const Candidate&, const TensorMeta& meta) {
    return meta.dtype == context.meta(*weight).dtype && meta.layout.sizes == context.meta(*indices).layout.sizes;
  });
  return scales ? with_argument(op, std::move(arguments), arg::per_sample_weights, *scales) : arguments;
}

std::vector<IndexRange> ranges_of_bags(const Call& call) {
  return {{call.value(arg::indices), call.tensor(arg::weight).layout.sizes[0]}, {call.value(arg::offsets), 1}};
}

OpDef bags(std::string_view schema) {
  return {.schema = schema,
          .infer = infer_bags,
          .reference = reference_bags,
          .sample = sample_bags,
          .index_ranges = ranges_of_bags};
}

}  // namespace

std::vector<OpDef> embedding_bag_family() {
  return {
      bags(
          "embedding_bag.padding_idx(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, int mode, "
          "bool sparse, Tensor? per_sample_weights, bool include_last_offset, int? padding_idx) -> (Tensor, Tensor, "
          "Tensor, Tensor)"),
      bags("embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, "
           "bool "
           "sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False) -> (Tensor, Tensor, Tensor, "
           "Tensor)"),
      bags("_embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, "
           "bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> "
           "(Tensor, Tensor, Tensor, Tensor)"),
      bags("_embedding_bag_forward_only(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, "
           "int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int "
           "padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)"),
  };
}

}  // namespace parallax
