// Gradients that spread over places: of average pools, of a table's rows, and the columns of a convolution.
#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "ops/ball_sum.h"
#include "ops/core_gradients.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/fresh_layout.h"
#include "ops/indices.h"
#include "ops/pair_sample.h"
#include "ops/pool_plan.h"
#include "ops/sample.h"
#include "ops/view_layout.h"

namespace parallax {
namespace {

constexpr PoolParameters pictures = {.spatial = 2};
// Extents and arguments up to here can be multiplied without overflow.
constexpr int64_t largest_extent = int64_t{1} << 30;

Result<void> check_gradient(const Call& call, const TensorMeta& gradient, const Dims& sizes, DType dtype) {
  if (gradient.layout.sizes == sizes && gradient.dtype == dtype) return {};
  return refuse("{}: a gradient of {}[{}] for {}[{}]", call.op().name, name(gradient.dtype),
                to_string(gradient.layout.sizes), name(dtype), to_string(sizes));
}

// A result like self, in the format that self suggests.
Metas like_self(const Call& call, bool unbatched) {
  const TensorMeta& self = call.tensor(arg::self);
  const MemoryFormat format = unbatched ? MemoryFormat::Contiguous : suggested_format(self.layout);
  TRY(const Layout layout, fresh_layout(contiguous_layout(self.layout.sizes), format));
  return fresh_result(self.dtype, layout);
}

// Sums by place, in the result's own dtype, halves too; a place that nothing reaches is 0.
class PlaceSums {
 public:
  PlaceSums(const BallMath& math, const BallView& output)
      : output_(&output),
        elements_(elements_of(output.layout)),
        sums_(elements_.size(), BallSum(math)),
        reached_(elements_.size(), false) {}

  void add(int64_t place, const Ball& term) {
    sums_[static_cast<std::size_t>(place)].add(term);
    reached_[static_cast<std::size_t>(place)] = true;
  }
  void write() const {
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      output_->ball(elements_[i]) = reached_[i] ? sums_[i].result() : Ball::exact(0);
    }
  }

 private:
  const BallView* output_;
  std::vector<int64_t> elements_;
  std::vector<BallSum> sums_;
  std::vector<bool> reached_;
};

CallProfile in_own_dtype(const ReferenceCall& call) { return call.profile().with(Form::AccumulateInHalf); }

// avg_pool2d_backward

Metas infer_average(const Call& call) {
  TRY(const PoolPlan plan, plan_pool(call, pictures, false));
  const TensorMeta& self = call.tensor(arg::self);
  if (!is_floating(self.dtype)) return refuse("{} does not take {}", call.op().name, name(self.dtype));
  if (call.has(arg::divisor_override) && call.integer(arg::divisor_override) == 0) {
    return refuse("{}: a divisor of 0", call.op().name);
  }
  const Layout pooled = pooled_layout(plan, PoolFormat::Contiguous);
  TRY_VOID(check_gradient(call, call.tensor(arg::grad_output), pooled.sizes, self.dtype));
  return like_self(call, plan.unbatched);
}

// The share of a gradient, by a division or by the product with a reciprocal.
Ball share(const BallMath& math, const Ball& gradient, int64_t divisor) {
  const Ball count = Ball::exact(static_cast<double>(divisor));
  return hull(math.div(gradient, count), math.mul(gradient, math.div(Ball::exact(1), count)));
}

Result<void> reference_average(const ReferenceCall& call) {
  TRY(const PoolPlan plan, plan_pool(call, pictures, true));
  const CallProfile profile = in_own_dtype(call);
  const BallMath math(call.output().dtype, profile);
  const BallView& gradient = call.input(arg::grad_output);
  const std::vector<int64_t> gradients = elements_of(gradient.layout);
  PlaceSums sums(math, call.output());
  const int64_t rank = plan.input.rank();
  const int64_t picture = plan.input.sizes[static_cast<int>(rank) - 1] * plan.input.sizes[static_cast<int>(rank) - 2];
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const PoolWindow& window = plan.windows[i % plan.windows.size()];
    const auto first = static_cast<int64_t>(i / plan.windows.size()) * picture;
    const auto elements = static_cast<int64_t>(window.elements.size());
    const int64_t divisor = call.has(arg::divisor_override)        ? call.integer(arg::divisor_override)
                            : call.boolean(arg::count_include_pad) ? window.padded
                                                                   : elements;
    if (elements == 0) continue;
    const Ball part = share(math, gradient.ball(gradients[i]), divisor);
    for (const int64_t element : window.elements) sums.add(first + element, part);
  }
  sums.write();
  return {};
}

// A kernel with a stride of 1 that makes the gradient's shape.
std::optional<std::vector<Argument>> sample_average(const Op& op, SampleContext& context) {
  const auto may_be = [](const TensorMeta& gradient, const TensorMeta& self) {
    const int rank = self.layout.rank();
    if (!is_floating(self.dtype) || gradient.dtype != self.dtype || gradient.layout.rank() != rank) return false;
    if (!may_pool(self, 2) || gradient.layout.numel() == 0) return false;
    for (int dim = 0; dim < rank; ++dim) {
      const int64_t in = self.layout.sizes[dim];
      const int64_t out = gradient.layout.sizes[dim];
      if (dim < rank - 2 ? in != out : in < out) return false;
    }
    return true;
  };
  const auto pair = pick_pair(context, may_be);
  if (!pair) return std::nullopt;
  const Dims& out = context.meta(pair->first).layout.sizes;
  const Dims& in = context.meta(pair->second).layout.sizes;
  const int rank = in.size();
  return with_defaults(
      op, {pair->first, pair->second, IntList{in[rank - 2] - out[rank - 2] + 1, in[rank - 1] - out[rank - 1] + 1},
           IntList{1, 1}, IntList{0, 0}, Scalar(false), Scalar(context.choices().chance(50)), Argument()});
}

// _adaptive_avg_pool2d_backward

Metas infer_adaptive(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  const TensorMeta& gradient = call.tensor(arg::grad_output);
  const int rank = self.layout.rank();
  if (!is_floating(self.dtype)) return refuse("{} does not take {}", call.op().name, name(self.dtype));
  if (rank != 3 && rank != 4) return refuse("{}: an input of {} dims", call.op().name, rank);
  if (gradient.layout.rank() != rank) {
    return refuse("{}: a gradient of {} dims for {}", call.op().name, gradient.layout.rank(), rank);
  }
  Dims wanted = self.layout.sizes;
  for (const int dim : {rank - 2, rank - 1}) {
    if (gradient.layout.sizes[dim] == 0 || self.layout.sizes[dim] == 0) {
      return refuse("{}: dim {} is empty", call.op().name, dim);
    }
    if (self.layout.sizes[dim] > largest_extent || gradient.layout.sizes[dim] > largest_extent) {
      return refuse("{}: dim {} is too large", call.op().name, dim);
    }
    wanted[dim] = gradient.layout.sizes[dim];
  }
  TRY_VOID(check_gradient(call, gradient, wanted, self.dtype));
  return like_self(call, rank == 3);
}

// Eager divides by the height of a window and then by its width.
Ball adaptive_share(const BallMath& math, const Ball& gradient, int64_t height, int64_t width) {
  const Ball rows = Ball::exact(static_cast<double>(height));
  const Ball columns = Ball::exact(static_cast<double>(width));
  return hull(math.div(math.div(gradient, rows), columns), share(math, gradient, height * width));
}

Result<void> reference_adaptive(const ReferenceCall& call) {
  const Dims& in = call.tensor(arg::self).layout.sizes;
  const BallView& gradient = call.input(arg::grad_output);
  const Dims& out = gradient.layout.sizes;
  const int rank = in.size();
  const CallProfile profile = in_own_dtype(call);
  const BallMath math(call.output().dtype, profile);
  PlaceSums sums(math, call.output());
  const int64_t height = in[rank - 2];
  const int64_t width = in[rank - 1];
  int64_t at = 0;
  for_each_element(gradient.layout, [&](int64_t element) {
    const int64_t column = at % out[rank - 1];
    const int64_t row = at / out[rank - 1] % out[rank - 2];
    const int64_t picture = at / (out[rank - 1] * out[rank - 2]);
    const int64_t top = row * height / out[rank - 2];
    const int64_t bottom = ((row + 1) * height + out[rank - 2] - 1) / out[rank - 2];
    const int64_t left = column * width / out[rank - 1];
    const int64_t right = ((column + 1) * width + out[rank - 1] - 1) / out[rank - 1];
    const Ball part = adaptive_share(math, gradient.ball(element), bottom - top, right - left);
    for (int64_t y = top; y < bottom; ++y) {
      for (int64_t x = left; x < right; ++x) sums.add((picture * height + y) * width + x, part);
    }
    ++at;
  });
  sums.write();
  return {};
}

std::optional<std::vector<Argument>> sample_adaptive(const Op&, SampleContext& context) {
  const auto pair = pick_pair(context, [](const TensorMeta& gradient, const TensorMeta& self) {
    const int rank = self.layout.rank();
    if (!is_floating(self.dtype) || gradient.dtype != self.dtype || gradient.layout.rank() != rank) return false;
    if (!may_pool(self, 2) || gradient.layout.numel() == 0) return false;
    return std::equal(self.layout.sizes.begin(), self.layout.sizes.end() - 2, gradient.layout.sizes.begin());
  });
  if (!pair) return std::nullopt;
  return std::vector<Argument>{pair->first, pair->second};
}

// embedding_dense_backward

Metas infer_table(const Call& call) {
  const TensorMeta& gradient = call.tensor(arg::grad_output);
  const TensorMeta& indices = call.tensor(arg::indices);
  const Result<void> checked = check_index_dtype(indices.dtype);
  if (!checked) return in_op(call, checked.error());
  if (!is_floating(gradient.dtype)) return refuse("{} does not take {}", call.op().name, name(gradient.dtype));
  const int64_t rows = call.integer(arg::num_weights);
  if (rows < 0 || rows > largest_extent) return refuse("{}: {} rows", call.op().name, rows);
  const int rank = gradient.layout.rank();
  if (rank == 0) return refuse("{}: a gradient without rows", call.op().name);
  const Dims places(std::span(gradient.layout.sizes.begin(), gradient.layout.sizes.end() - 1));
  if (places != indices.layout.sizes) {
    return refuse("{}: a gradient of [{}] for indices of [{}]", call.op().name, to_string(gradient.layout.sizes),
                  to_string(indices.layout.sizes));
  }
  const Dims sizes{rows, gradient.layout.sizes.back()};
  if (!checked_numel(std::span(sizes.begin(), sizes.end()))) return refuse("{}: too large", call.op().name);
  return fresh_result(gradient.dtype, contiguous_layout(sizes));
}

Result<void> reference_table(const ReferenceCall& call) {
  const BallView& indices = call.input(arg::indices);
  const BallView& gradient = call.input(arg::grad_output);
  const int64_t rows = call.integer(arg::num_weights);
  const int64_t padding = call.integer(arg::padding_idx);
  const int64_t width = gradient.layout.sizes.back();
  TRY_VOID(check_all_in_range(call, indices, rows));
  std::map<int64_t, int64_t> counts;
  Undecided undecided = Undecided::No;
  const std::vector<int64_t> places = elements_of(indices.layout);
  for (const int64_t place : places) {
    const IntegerBall& row = indices.integer(place);
    if (undecided == Undecided::No) undecided = row.undecided;
    ++counts[row.value];
  }
  if (undecided != Undecided::No) {
    set_all_undecided(call.output(), undecided);
    return {};
  }
  const CallProfile profile = in_own_dtype(call);
  const BallMath math(call.output().dtype, profile);
  PlaceSums sums(math, call.output());
  const std::vector<int64_t> gradients = elements_of(gradient.layout);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const int64_t row = indices.integer(places[i]).value;
    if (row == padding) continue;
    for (int64_t column = 0; column < width; ++column) {
      Ball part = gradient.ball(gradients[i * static_cast<std::size_t>(width) + static_cast<std::size_t>(column)]);
      if (call.boolean(arg::scale_grad_by_freq)) part = share(math, part, counts[row]);
      sums.add(row * width + column, part);
    }
  }
  sums.write();
  return {};
}

std::optional<std::vector<Argument>> sample_table(const Op&, SampleContext& context) {
  const auto gradient = context.pick([&](const Candidate&, const TensorMeta& meta) {
    if (!is_floating(meta.dtype) || meta.layout.rank() < 1 || meta.layout.numel() == 0) return false;
    const Dims places(std::span(meta.layout.sizes.begin(), meta.layout.sizes.end() - 1));
    return std::ranges::any_of(context.pool(), [&](const Candidate& candidate) {
      return may_index(candidate, context.meta(candidate.value), IndexWidth::Either) &&
             context.meta(candidate.value).layout.sizes == places;
    });
  });
  if (!gradient) return std::nullopt;
  const Dims& sizes = context.meta(*gradient).layout.sizes;
  const Dims places(std::span(sizes.begin(), sizes.end() - 1));
  const auto indices =
      pick_index(context, IndexWidth::Either, [&](const TensorMeta& meta) { return meta.layout.sizes == places; });
  Choices& choices = context.choices();
  const int64_t rows = choices.between(1, 6);
  const int64_t padding = choices.chance(40) ? choices.between(0, rows - 1) : -1;
  return std::vector<Argument>{*gradient, *indices, Scalar(rows), Scalar(padding), Scalar(choices.chance(40))};
}

std::vector<IndexRange> ranges_of_table(const Call& call) {
  return {{call.value(arg::indices), call.integer(arg::num_weights)}};
}

// col2im

struct Columns {
  bool unbatched = false;
  int64_t batch = 1;
  int64_t channels = 0;
  // By spatial dim.
  std::array<int64_t, 2> output{}, kernel{}, stride{}, padding{}, dilation{}, blocks{};
};

Result<Columns> plan_columns(const Call& call) {
  const std::string& op = call.op().name;
  const TensorMeta& self = call.tensor(arg::self);
  const Dims& sizes = self.layout.sizes;
  if (!is_floating(self.dtype)) return refuse("{} does not take {}", op, name(self.dtype));
  if (sizes.size() != 2 && sizes.size() != 3) return refuse("{}: columns of {} dims", op, sizes.size());
  Columns plan;
  plan.unbatched = sizes.size() == 2;
  plan.batch = plan.unbatched ? 1 : sizes[0];
  int64_t places = 1;
  int64_t taps = 1;
  for (std::size_t d = 0; d < 2; ++d) {
    const auto number = [&](arg list, int64_t least) -> Result<int64_t> {
      const IntList& values = call.integers(list);
      if (values.size() != 2) return refuse("{}: {} {}s, not 2", op, values.size(), name(list));
      const int64_t value = values[d];
      if (value < least || value > largest_extent) return refuse("{}: {} {}", op, name(list), value);
      return value;
    };
    TRY(plan.output[d], number(arg::output_size, 1));
    TRY(plan.kernel[d], number(arg::kernel_size, 1));
    TRY(plan.dilation[d], number(arg::dilation, 1));
    TRY(plan.padding[d], number(arg::padding, 0));
    TRY(plan.stride[d], number(arg::stride, 1));
    const int64_t room = plan.output[d] + 2 * plan.padding[d] - (plan.dilation[d] * (plan.kernel[d] - 1) + 1);
    plan.blocks[d] = room < 0 ? 0 : room / plan.stride[d] + 1;
    places *= plan.blocks[d];
    taps *= plan.kernel[d];
  }
  const int64_t rows = sizes[sizes.size() - 2];
  if (rows == 0 || rows % taps != 0) return refuse("{}: {} rows for a kernel of {}", op, rows, taps);
  if (places == 0 || sizes.back() != places) return refuse("{}: {} columns, not {}", op, sizes.back(), places);
  plan.channels = rows / taps;
  return plan;
}

Metas infer_columns(const Call& call) {
  TRY(const Columns plan, plan_columns(call));
  Dims sizes{plan.channels, plan.output[0], plan.output[1]};
  if (!plan.unbatched) sizes.insert(0, plan.batch);
  if (!checked_numel(std::span(sizes.begin(), sizes.end()))) return refuse("{}: too large", call.op().name);
  return fresh_result(call.tensor(arg::self).dtype, contiguous_layout(sizes));
}

Result<void> reference_columns(const ReferenceCall& call) {
  TRY(const Columns plan, plan_columns(call));
  const CallProfile profile = in_own_dtype(call);
  const BallMath math(call.output().dtype, profile);
  PlaceSums sums(math, call.output());
  const BallView& self = call.input(arg::self);
  const int64_t columns = plan.blocks[0] * plan.blocks[1];
  const int64_t taps = plan.kernel[0] * plan.kernel[1];
  int64_t at = 0;
  for_each_element(self.layout, [&](int64_t element) {
    const int64_t block = at % columns;
    const int64_t tap = at / columns % taps;
    const int64_t picture = at / columns / taps;
    ++at;
    const int64_t y =
        block / plan.blocks[1] * plan.stride[0] - plan.padding[0] + tap / plan.kernel[1] * plan.dilation[0];
    const int64_t x =
        block % plan.blocks[1] * plan.stride[1] - plan.padding[1] + tap % plan.kernel[1] * plan.dilation[1];
    if (y < 0 || y >= plan.output[0] || x < 0 || x >= plan.output[1]) return;
    sums.add((picture * plan.output[0] + y) * plan.output[1] + x, self.ball(element));
  });
  sums.write();
  return {};
}

// A kernel of one row, which the columns' rows are a multiple of.
std::optional<std::vector<Argument>> sample_columns(const Op&, SampleContext& context) {
  const auto self = context.pick([](const Candidate&, const TensorMeta& meta) {
    const int rank = meta.layout.rank();
    return is_floating(meta.dtype) && (rank == 2 || rank == 3) && meta.layout.numel() > 0;
  });
  if (!self) return std::nullopt;
  const Dims& sizes = context.meta(*self).layout.sizes;
  const int64_t rows = sizes[sizes.size() - 2];
  int64_t width = context.choices().between(1, 3);
  while (rows % width != 0) --width;
  return std::vector<Argument>{
      *self, IntList{1, sizes.back() + width - 1}, IntList{1, width}, IntList{1, 1}, IntList{0, 0}, IntList{1, 1}};
}

}  // namespace

std::vector<OpDef> gradient_family() {
  std::vector<OpDef> ops = {
      {.schema = "avg_pool2d_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] "
                 "padding, bool ceil_mode, bool count_include_pad, int? divisor_override) -> Tensor",
       .infer = infer_average,
       .reference = reference_average,
       .sample = sample_average},
      {.schema = "_adaptive_avg_pool2d_backward(Tensor grad_output, Tensor self) -> Tensor",
       .infer = infer_adaptive,
       .reference = reference_adaptive,
       .sample = sample_adaptive},
      {.schema = "embedding_dense_backward(Tensor grad_output, Tensor indices, SymInt num_weights, SymInt padding_idx, "
                 "bool scale_grad_by_freq) -> Tensor",
       .infer = infer_table,
       .reference = reference_table,
       .sample = sample_table,
       .index_ranges = ranges_of_table},
      {.schema =
           "col2im(Tensor self, SymInt[2] output_size, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] "
           "stride) -> Tensor",
       .infer = infer_columns,
       .reference = reference_columns,
       .sample = sample_columns},
  };
  std::ranges::move(normalization_gradients(), std::back_inserter(ops));
  std::ranges::move(convolution_gradients(), std::back_inserter(ops));
  return ops;
}

}  // namespace parallax
