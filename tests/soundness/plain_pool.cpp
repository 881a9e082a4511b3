// Average and max pools, with a kernel or adaptive.
#include <algorithm>
#include <limits>

#include "tests/soundness/plain_box.h"
#include "tests/soundness/plain_call.h"
#include "tests/soundness/plain_moments.h"

namespace parallax {
namespace {

using Results = std::vector<PlainTensor>;

// The window of a pool at an output place: the input's places in it, and how many places it has with the padding.
struct Window {
  std::vector<std::size_t> places;
  int64_t padded = 1;
};

// The stride is the kernel where it is empty, the dilation 1 where the op has none.
Window window_at(const PlainCall& call, const Box& input, const std::vector<int64_t>& o) {
  std::vector<int64_t> kernel_sizes;
  for (int dim = 0; dim < input.rank(); ++dim) kernel_sizes.push_back(call.entry(arg::kernel_size, dim, 1));
  const Box kernel(kernel_sizes);
  Window window;
  std::vector<int64_t> start(o.size());
  for (int dim = 0; dim < input.rank(); ++dim) {
    const auto d = static_cast<std::size_t>(dim);
    const int64_t padding = call.entry(arg::padding, dim, 0);
    start[d] = o[d] * call.entry(arg::stride, dim, kernel.size(dim)) - padding;
    // A window over the end, where the size was rounded up, ends with the padding.
    window.padded *= std::min(start[d] + kernel.size(dim), input.size(dim) + padding) - start[d];
  }
  for (int64_t k = 0; k < kernel.count(); ++k) {
    std::vector<int64_t> at = kernel.coordinates(k);
    for (std::size_t d = 0; d < at.size(); ++d) {
      at[d] = start[d] + at[d] * call.entry(arg::dilation, static_cast<int>(d), 1);
    }
    if (const int64_t place = input.place(at); place >= 0) window.places.push_back(static_cast<std::size_t>(place));
  }
  return window;
}

// For each plane of a picture of `spatial` dims, each output place: its elements in the window.
template <class WindowAt, class Reduce>
void pool(const PlainCall& call, PlainTensor& result, int spatial, WindowAt window_of, Reduce reduce) {
  const Box input(call.sizes(arg::self), call.rank(arg::self) - spatial);
  const Box output(call.result_sizes(), call.rank(arg::self) - spatial);
  const auto plane_size = static_cast<std::size_t>(input.count());
  const auto outputs = static_cast<std::size_t>(output.count());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Window window = window_of(input, output, output.coordinates(static_cast<int64_t>(i % outputs)));
    PlainTensor elements;
    for (const std::size_t place : window.places)
      elements.push_back(call.elements(arg::self)[i / outputs * plane_size + place]);
    result[i] = reduce(elements, window);
  }
}

double average(const Perturbed& p, const PlainTensor& elements, double divisor) {
  if (elements.empty()) return 0;
  if (!p.takes(Form::AveragedProducts)) return plain_mean(p, p.sum(elements), divisor);
  const Arithmetic& accumulator = p.accumulator();
  const double weight = accumulator.div(1, divisor);
  PlainTensor products;
  for (const double x : elements) products.push_back(accumulator.mul(x, weight));
  return p.sum(products);
}

// ceil_mode is in the result's sizes.
template <int spatial>
void average_pool(Perturbed& p, const PlainCall& call, Results& results) {
  pool(
      call, results[0], spatial,
      [&](const Box& input, const Box&, const std::vector<int64_t>& o) { return window_at(call, input, o); },
      [&](const PlainTensor& elements, const Window& window) {
        auto divisor = static_cast<double>(
            call.boolean(arg::count_include_pad) ? window.padded : static_cast<int64_t>(elements.size()));
        if (call.has(arg::divisor_override)) divisor = call.real(arg::divisor_override);
        return average(p, elements, divisor);
      });
}

// The windows of an adaptive pool, which share the input out among the places of the result.
Window share_at(const Box& input, const Box& output, const std::vector<int64_t>& o) {
  std::vector<int64_t> start;
  std::vector<int64_t> sizes;
  for (int dim = 0; dim < input.rank(); ++dim) {
    const int64_t at = o[static_cast<std::size_t>(dim)];
    start.push_back(at * input.size(dim) / output.size(dim));
    const int64_t end = ((at + 1) * input.size(dim) + output.size(dim) - 1) / output.size(dim);
    sizes.push_back(end - start.back());
  }
  const Box inside(sizes);
  Window window;
  for (int64_t k = 0; k < inside.count(); ++k) {
    std::vector<int64_t> at = inside.coordinates(k);
    for (std::size_t dim = 0; dim < at.size(); ++dim) at[dim] += start[dim];
    window.places.push_back(static_cast<std::size_t>(input.place(at)));
  }
  return window;
}

template <int spatial>
void adaptive_average_pool(Perturbed& p, const PlainCall& call, Results& results) {
  pool(call, results[0], spatial, share_at, [&](const PlainTensor& elements, const Window&) {
    return average(p, elements, static_cast<double>(elements.size()));
  });
}

double largest_of(const Perturbed& p, const PlainTensor& elements) {
  double most = -std::numeric_limits<double>::infinity();
  for (const double x : elements) most = p.maximum(most, x);
  return most;
}

template <int spatial>
void max_pool(Perturbed& p, const PlainCall& call, Results& results) {
  pool(
      call, results[0], spatial,
      [&](const Box& input, const Box&, const std::vector<int64_t>& o) { return window_at(call, input, o); },
      [&](const PlainTensor& elements, const Window&) { return largest_of(p, elements); });
}

template <int spatial>
void adaptive_max_pool(Perturbed& p, const PlainCall& call, Results& results) {
  pool(call, results[0], spatial, share_at,
       [&](const PlainTensor& elements, const Window&) { return largest_of(p, elements); });
}

}  // namespace

std::vector<PlainOp> plain_pool_ops() {
  return {
      {"pool", "aten.avg_pool1d.default", average_pool<1>},
      {"pool", "aten.avg_pool2d.default", average_pool<2>},
      {"pool", "aten.avg_pool3d.default", average_pool<3>},
      {"pool", "aten.adaptive_avg_pool1d.default", adaptive_average_pool<1>},
      {"pool", "aten._adaptive_avg_pool2d.default", adaptive_average_pool<2>},
      {.family = "pool",
       .name = "aten._adaptive_avg_pool3d.default",
       .function = adaptive_average_pool<3>,
       .carries_halves = true},
      {"pool", "aten.max_pool1d.default", max_pool<1>},
      {"pool", "aten.max_pool2d.default", max_pool<2>},
      {"pool", "aten.max_pool3d.default", max_pool<3>},
      {"pool", "aten.max_pool2d_with_indices.default", max_pool<2>},
      {"pool", "aten.max_pool3d_with_indices.default", max_pool<3>},
      {"pool", "aten.adaptive_max_pool2d.default", adaptive_max_pool<2>},
  };
}

}  // namespace parallax
