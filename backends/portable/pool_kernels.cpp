// Pools: the mean or the maximum of windows over the last dims.
#include <algorithm>
#include <array>
#include <limits>

#include "backends/portable/windows.h"

namespace parallax::portable {
namespace {

// One window along one dim: elements first, first + step, … below end; and as how many the dim counts in a mean.
struct Window {
  int64_t first, end, step, extent;
};

// The windows of each position of the output along a dim.
using Windows = std::array<std::vector<Window>, most_spatial_dims>;

struct Pool {
  Space input, output;
  Windows windows;
  int64_t planes = 1;  // batch and channels
};

Pool without_windows(const KernelCall& call, int spatial) {
  const Dims& input = call.input(arg::self).layout->sizes;
  Pool pool{spatial_sizes(input, spatial), spatial_sizes(call.output_sizes(), spatial), {}, 1};
  for (int dim = 0; dim < input.size() - spatial; ++dim) pool.planes *= input[dim];
  return pool;
}

// Windows of a size, a stride apart, over a padded dim. The last may begin within the padding behind the elements,
// which then counts up to its end only.
Pool sliding(const KernelCall& call, int spatial) {
  Pool pool = without_windows(call, spatial);
  const auto numbers = [&](arg name, int64_t otherwise) {
    return spatial_numbers(call.integers(name), spatial, otherwise);
  };
  const Space kernel = numbers(arg::kernel_size, 1);
  const Space stride = numbers(call.integers(arg::stride).empty() ? arg::kernel_size : arg::stride, 1);
  const Space padding = numbers(arg::padding, 0);
  const Space dilation = call.takes(arg::dilation) ? numbers(arg::dilation, 1) : Space{1, 1, 1};
  for (std::size_t d = 0; d < kernel.size(); ++d) {
    for (int64_t o = 0; o < pool.output[d]; ++o) {
      const int64_t start = o * stride[d] - padding[d];
      const int64_t end = std::min(start + (kernel[d] - 1) * dilation[d] + 1, pool.input[d] + padding[d]);
      const int64_t skipped = start < 0 ? (-start + dilation[d] - 1) / dilation[d] : 0;
      pool.windows[d].push_back(
          {start + skipped * dilation[d], std::min(end, pool.input[d]), dilation[d], end - start});
    }
  }
  return pool;
}

// As many windows as are asked for, which cover all elements.
Pool adaptive(const KernelCall& call, int spatial) {
  Pool pool = without_windows(call, spatial);
  for (std::size_t d = 0; d < pool.output.size(); ++d) {
    const int64_t outputs = pool.output[d];
    for (int64_t o = 0; o < outputs; ++o) {
      const int64_t first = o * pool.input[d] / outputs;
      const int64_t end = ((o + 1) * pool.input[d] + outputs - 1) / outputs;
      pool.windows[d].push_back({first, end, 1, end - first});
    }
  }
  return pool;
}

// Calls `visit(z, y, x, plane)` with the windows and the plane's number, in the output's row-major order.
template <class Visit>
void for_each_window(const Pool& pool, Visit&& visit) {
  for (int64_t plane = 0; plane < pool.planes; ++plane) {
    for (const Window& z : pool.windows[0]) {
      for (const Window& y : pool.windows[1]) {
        for (const Window& x : pool.windows[2]) visit(z, y, x, plane);
      }
    }
  }
}

// Calls `visit(place)` with the row-major place within the plane of each element of a window.
template <class Visit>
void for_each_place(const Pool& pool, const Window& z, const Window& y, const Window& x, Visit&& visit) {
  for (int64_t i = z.first; i < z.end; i += z.step) {
    for (int64_t j = y.first; j < y.end; j += y.step) {
      for (int64_t k = x.first; k < x.end; k += x.step) visit((i * pool.input[1] + j) * pool.input[2] + k);
    }
  }
}

// Of windows without dilation.
int64_t element_count(const Window& z, const Window& y, const Window& x) {
  const auto elements = [](const Window& window) { return std::max<int64_t>(window.end - window.first, 0); };
  return elements(z) * elements(y) * elements(x);
}

// A window with no element is 0. `divisor` is asked for each of the others.
template <class Divisor>
Result<void> average(const KernelCall& call, const Pool& pool, Divisor&& divisor) {
  const DType dtype = call.output().dtype;
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    const Numbers<C> values = call.read<C>(arg::self, dtype);
    Numbers<C> means = call.numbers<C>(0);
    for_each_window(pool, [&](const Window& z, const Window& y, const Window& x, int64_t plane) {
      const C* elements = values.data() + plane * positions(pool.input);
      C sum(0);
      for_each_place(pool, z, y, x, [&](int64_t place) { sum = add(sum, elements[place]); });
      means.push_back(element_count(z, y, x) == 0 ? C(0) : sum / static_cast<C>(divisor(z, y, x)));
    });
    call.write(means);
  });
  return {};
}

template <int spatial>
Result<void> average_pool(const KernelCall& call) {
  const Pool pool = sliding(call, spatial);
  const bool counts_padding = call.boolean(arg::count_include_pad);
  const bool given = call.has(arg::divisor_override);
  const int64_t divisor = given ? call.integer(arg::divisor_override) : 0;
  return average(call, pool, [&](const Window& z, const Window& y, const Window& x) {
    if (given) return divisor;
    return counts_padding ? z.extent * y.extent * x.extent : element_count(z, y, x);
  });
}

template <int spatial>
Result<void> adaptive_average_pool(const KernelCall& call) {
  return average(call, adaptive(call, spatial), element_count);
}

// The maximum and its row-major place within the plane. NaN wins, the last one of several.
Result<void> maximum(const KernelCall& call, const Pool& pool) {
  const DType dtype = call.output().dtype;
  Numbers<int64_t> places = call.numbers<int64_t>(0);
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    // What a window has that lies in the padding alone. Narrow integers are compared as wider ones, and have their own.
    const C lowest = std::numeric_limits<C>::has_infinity ? -std::numeric_limits<C>::infinity()
                                                          : static_cast<C>(info(dtype).min_integer);
    const Numbers<C> values = call.read<C>(arg::self, dtype);
    Numbers<C> maxima = call.numbers<C>(0);
    for_each_window(pool, [&](const Window& z, const Window& y, const Window& x, int64_t plane) {
      const C* elements = values.data() + plane * positions(pool.input);
      C largest = lowest;
      int64_t at = (z.first * pool.input[1] + y.first) * pool.input[2] + x.first;
      for_each_place(pool, z, y, x, [&](int64_t place) {
        const C value = elements[place];
        if (!(value > largest) && value == value) return;
        largest = value;
        at = place;
      });
      maxima.push_back(largest);
      places.push_back(at);
    });
    call.write(maxima);
  });
  call.write(places, 1);
  return {};
}

template <int spatial>
Result<void> max_pool(const KernelCall& call) {
  return maximum(call, sliding(call, spatial));
}

Result<void> adaptive_max_pool(const KernelCall& call) { return maximum(call, adaptive(call, 2)); }

// Each gradient goes to the element that was its window's maximum.
Result<void> max_pool_backward(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  const Dims& sizes = call.output_sizes();
  const int64_t plane = sizes[sizes.size() - 2] * sizes[sizes.size() - 1];
  const TensorRef& gradient = call.input(arg::grad_output);
  const Dims& windows = gradient.layout->sizes;
  const int64_t windows_of_plane = windows[windows.size() - 2] * windows[windows.size() - 1];
  const Numbers<int64_t> places = call.read<int64_t>(arg::indices, DType::I64);
  for (int64_t place : places) {
    if (place < -1 || place >= plane) return refuse("index {} is out of range for a plane of size {}", place, plane);
  }
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    const Numbers<C> gradients = call.read<C>(arg::grad_output, dtype);
    Numbers<C> sums = call.numbers<C>(call.output().layout->numel());
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (places[i] < 0) continue;  // eager passes over -1
      const auto from = static_cast<int64_t>(i) / windows_of_plane * plane;
      C& sum = sums[static_cast<std::size_t>(from + places[i])];
      sum = add(sum, gradients[i]);
    }
    call.write(sums);
  });
  return {};
}

constexpr std::array pool_table = {
    KernelEntry{"aten.avg_pool1d.default", average_pool<1>},
    KernelEntry{"aten.avg_pool2d.default", average_pool<2>},
    KernelEntry{"aten.avg_pool3d.default", average_pool<3>},
    KernelEntry{"aten.adaptive_avg_pool1d.default", adaptive_average_pool<1>},
    KernelEntry{"aten._adaptive_avg_pool2d.default", adaptive_average_pool<2>},
    KernelEntry{"aten._adaptive_avg_pool3d.default", adaptive_average_pool<3>},
    KernelEntry{"aten.max_pool2d_with_indices.default", max_pool<2>},
    KernelEntry{"aten.max_pool3d_with_indices.default", max_pool<3>},
    KernelEntry{"aten.adaptive_max_pool2d.default", adaptive_max_pool},
    KernelEntry{"aten.max_pool2d_with_indices_backward.default", max_pool_backward},
};

}  // namespace

std::span<const KernelEntry> pool_kernels() { return pool_table; }

}  // namespace parallax::portable
