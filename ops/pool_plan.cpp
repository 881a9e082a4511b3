#include "ops/pool_plan.h"

#include <algorithm>

#include "ops/copying.h"
#include "ops/fresh_layout.h"
#include "ops/view_layout.h"

namespace parallax {
namespace {

// Extents and arguments up to here can be multiplied and added without overflow.
constexpr int64_t largest_extent = int64_t{1} << 30;

// A list argument with one number for each spatial dim; one number stands for all, an empty list for `otherwise`.
Result<Dims> spatial_list(const Call& call, arg parameter, int spatial, int64_t least, const Dims& otherwise) {
  const IntList& list = call.integers(parameter);
  if (list.empty() && !otherwise.empty()) return otherwise;
  if (list.size() != 1 && list.size() != static_cast<std::size_t>(spatial)) {
    return refuse("{}: {} numbers for {} in {} dims", call.op().name, list.size(), name(parameter), spatial);
  }
  for (int64_t value : list) {
    if (value < least || value > largest_extent) return refuse("{}: {} {}", call.op().name, name(parameter), value);
  }
  return list.size() == 1 ? Dims::filled(spatial, list[0]) : Dims(std::span(list));
}

Dims spatial_sizes(const Dims& sizes) { return Dims(std::span(sizes.begin() + 2, sizes.end())); }

// The input with a batch dim. Only that may be empty, and for the adaptive averages the channels.
Result<void> take_input(const Call& call, const PoolParameters& at, PoolPlan& plan) {
  plan.input = call.tensor(arg::self).layout;
  const int rank = plan.input.rank();
  plan.unbatched = rank == at.spatial + 1;
  if (!plan.unbatched && rank != at.spatial + 2) {
    return refuse("{}: an input of {} dims", call.op().name, rank);
  }
  if (plan.unbatched) plan.input = *unsqueeze_layout(plan.input, 0);
  for (int dim = 0; dim < plan.input.rank(); ++dim) {
    const int64_t size = plan.input.sizes[dim];
    const bool may_be_empty = (dim == 0 && !plan.unbatched) || (dim == 1 && at.empty_channels && !plan.unbatched);
    if (size == 0 && !may_be_empty) return refuse("{}: dim {} of the input is empty", call.op().name, dim);
    if (size > largest_extent) return refuse("{}: the input is too large", call.op().name);
  }
  plan.sizes = {plan.input.sizes[0], plan.input.sizes[1]};
  return {};
}

// The positions [begin, end) along one dim with the given step, and how far the window reaches into the padding.
struct Span {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t step = 1;
  int64_t padded = 0;
};

// All elements of the window that the spans make.
PoolWindow window_of(const std::vector<Span>& spans, const Dims& input) {
  PoolWindow window;
  window.padded = 1;
  Dims counts;
  for (const Span& span : spans) {
    counts.push_back(span.end > span.begin ? (span.end - span.begin + span.step - 1) / span.step : 0);
    window.padded *= span.padded;
  }
  for_each_index(counts, [&](const Dims& index) {
    int64_t element = 0;
    for (int dim = 0; dim < index.size(); ++dim) {
      const Span& span = spans[static_cast<std::size_t>(dim)];
      element = element * input[dim] + span.begin + index[dim] * span.step;
    }
    window.elements.push_back(element);
  });
  return window;
}

template <class SpanOf>
void add_windows(PoolPlan& plan, SpanOf&& span_of) {
  const Dims input = spatial_sizes(plan.input.sizes);
  for_each_index(spatial_sizes(plan.sizes), [&](const Dims& output) {
    std::vector<Span> spans;
    for (int dim = 0; dim < output.size(); ++dim) spans.push_back(span_of(dim, output[dim]));
    plan.windows.push_back(window_of(spans, input));
  });
}

Result<void> check_size(const Call& call, const PoolPlan& plan) {
  if (checked_numel(std::span(plan.sizes.begin(), plan.sizes.end()))) return {};
  return refuse("{}: the result is too large", call.op().name);
}

// Element o of `out` looks at [floor(o in / out), ceil((o + 1) in / out)).
Result<PoolPlan> plan_adaptive(const Call& call, const PoolParameters& at, PoolPlan plan, bool with_windows) {
  TRY(const Dims output, spatial_list(call, arg::output_size, at.spatial, 0, {}));
  for (int64_t size : output) plan.sizes.push_back(size);
  TRY_VOID(check_size(call, plan));
  if (with_windows) {
    add_windows(plan, [&](int dim, int64_t o) {
      const int64_t in = plan.input.sizes[dim + 2];
      const int64_t out = output[dim];
      const int64_t begin = o * in / out;
      const int64_t end = ((o + 1) * in + out - 1) / out;
      return Span{begin, end, 1, end - begin};
    });
  }
  return plan;
}

// Of a positive b.
int64_t floor_divide(int64_t a, int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }
int64_t divided_up(int64_t a, int64_t b) { return floor_divide(a + b - 1, b); }

}  // namespace

Result<PoolPlan> plan_pool(const Call& call, const PoolParameters& at, bool with_windows) {
  PoolPlan plan;
  TRY_VOID(take_input(call, at, plan));
  if (call.takes(arg::output_size)) return plan_adaptive(call, at, std::move(plan), with_windows);
  TRY(const Dims kernel, spatial_list(call, arg::kernel_size, at.spatial, 1, {}));
  TRY(const Dims stride, spatial_list(call, arg::stride, at.spatial, 1, kernel));
  TRY(const Dims padding, spatial_list(call, arg::padding, at.spatial, 0, {}));
  Dims dilation = Dims::filled(at.spatial, 1);
  if (call.takes(arg::dilation)) {
    TRY(dilation, spatial_list(call, arg::dilation, at.spatial, 1, {}));
  }
  const bool ceil_mode = call.boolean(arg::ceil_mode);
  for (int dim = 0; dim < at.spatial; ++dim) {
    if (padding[dim] > kernel[dim] / 2) {
      return refuse("{}: a padding of {} for a kernel of {}", call.op().name, padding[dim], kernel[dim]);
    }
    const int64_t in = plan.input.sizes[dim + 2];
    const int64_t room = in + 2 * padding[dim] - dilation[dim] * (kernel[dim] - 1) - 1;
    int64_t size = (ceil_mode ? divided_up(room, stride[dim]) : floor_divide(room, stride[dim])) + 1;
    // The last window begins inside the input or the padding in front of it.
    if (ceil_mode && (size - 1) * stride[dim] >= in + padding[dim]) --size;
    if (size < 1 || (at.holds_kernel && in < kernel[dim])) {
      return refuse("{}: a kernel of {} in an input of {}", call.op().name, kernel[dim], in);
    }
    plan.sizes.push_back(size);
  }
  TRY_VOID(check_size(call, plan));
  if (with_windows) {
    add_windows(plan, [&](int dim, int64_t o) {
      const int64_t in = plan.input.sizes[dim + 2];
      const int64_t start = o * stride[dim] - padding[dim];
      const int64_t reach = dilation[dim] * (kernel[dim] - 1) + 1;
      const int64_t padded = std::min(start + reach, in + padding[dim]) - start;
      const int64_t begin = start < 0 ? start + divided_up(-start, dilation[dim]) * dilation[dim] : start;
      return Span{begin, std::min(start + reach, in), dilation[dim], padded};
    });
  }
  return plan;
}

Layout pooled_layout(const PoolPlan& plan, PoolFormat format) {
  const bool keeps = format == PoolFormat::OfInput || (format == PoolFormat::OfBatches && !plan.unbatched);
  Layout input = plan.input;
  Layout result = contiguous_layout(plan.sizes);
  // One spatial dim is computed as a picture of one row.
  const bool row = input.rank() == 3;
  if (row) {
    input = *unsqueeze_layout(input, 2);
    result = *unsqueeze_layout(result, 2);
  }
  MemoryFormat suggested = suggested_format(input);
  if (plan.unbatched && input.rank() == 5) {
    // There eager looks whether the volume is in the format, and not how its strides are ordered.
    const bool last = !is_contiguous(input) && *is_in_format(input, MemoryFormat::ChannelsLast3d);
    suggested = last ? MemoryFormat::ChannelsLast3d : MemoryFormat::Contiguous;
  }
  if (keeps) result = *fresh_layout(result, suggested);
  if (row) result = *squeeze_layout(result, IntList{2});
  return plan.unbatched ? *squeeze_layout(result, IntList{0}) : result;
}

bool may_pool(const TensorMeta& meta, int spatial) {
  const int rank = meta.layout.rank();
  return meta.layout.numel() > 0 && (rank == spatial + 1 || rank == spatial + 2);
}

DrawnPool draw_pool(Choices& choices, const Layout& input, int spatial, bool dilates) {
  DrawnPool drawn;
  for (int i = 0; i < spatial; ++i) {
    const int64_t size = input.sizes[input.rank() - spatial + i];
    const int64_t kernel = choices.between(1, std::min<int64_t>(size, 3));
    drawn.kernel.push_back(kernel);
    drawn.stride.push_back(choices.chance(50) ? kernel : choices.between(1, 2));
    drawn.padding.push_back(choices.chance(30) ? kernel / 2 : 0);
    const bool fits = 2 * (kernel - 1) + 1 <= size + 2 * drawn.padding.back();
    drawn.dilation.push_back(dilates && fits && choices.chance(20) ? 2 : 1);
  }
  return drawn;
}

}  // namespace parallax
