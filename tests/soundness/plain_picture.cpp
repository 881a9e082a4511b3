// Convolutions, pools and upsampling, by their definitions.
#include <algorithm>
#include <limits>

#include "tests/soundness/plain_call.h"
#include "tests/soundness/plain_moments.h"

namespace parallax {
namespace {

using Results = std::vector<PlainTensor>;

// A row-major box of places: the spatial part of a picture, a kernel or a result.
class Box {
 public:
  // The sizes from dim `first` on.
  Box(const Dims& sizes, int first) {
    for (int dim = first; dim < sizes.size(); ++dim) sizes_.push_back(sizes[dim]);
  }
  explicit Box(std::vector<int64_t> sizes) : sizes_(std::move(sizes)) {}

  int rank() const { return static_cast<int>(sizes_.size()); }
  int64_t size(int dim) const { return sizes_[static_cast<std::size_t>(dim)]; }
  int64_t count() const {
    int64_t count = 1;
    for (const int64_t size : sizes_) count *= size;
    return count;
  }
  std::vector<int64_t> coordinates(int64_t place) const {
    std::vector<int64_t> at(sizes_.size());
    for (std::size_t dim = sizes_.size(); dim-- > 0; place /= sizes_[dim]) at[dim] = place % sizes_[dim];
    return at;
  }
  // Of coordinates, or -1 outside of the box.
  int64_t place(const std::vector<int64_t>& at) const {
    int64_t place = 0;
    for (std::size_t dim = 0; dim < sizes_.size(); ++dim) {
      if (at[dim] < 0 || at[dim] >= sizes_[dim]) return -1;
      place = place * sizes_[dim] + at[dim];
    }
    return place;
  }

 private:
  std::vector<int64_t> sizes_;
};

// Where the parameters of a convolution stand.
struct ConvolutionForm {
  int dilation;
  int groups;
  int transposed = -1;  // of the general overload only
};
constexpr ConvolutionForm general = {5, 8, 6};
constexpr ConvolutionForm forward = {5, 6};

template <const ConvolutionForm& form>
void convolution(Perturbed& p, const PlainCall& call, Results& results) {
  const bool transposed = form.transposed >= 0 && call.boolean(form.transposed);
  const int first = call.rank(0) - (call.rank(1) - 2);
  const Box input(call.sizes(0), first);
  const Box kernel(call.sizes(1), 2);
  const Box output(call.result_sizes(), first);
  const int64_t groups = call.integer(form.groups);
  const int64_t channels = call.sizes(0)[first - 1];
  const int64_t filters = call.result_sizes()[first - 1];
  const int64_t in_group = channels / groups;
  const int64_t filters_in_group = filters / groups;
  const int64_t batch = first == 2 ? call.sizes(0)[0] : 1;
  // Where the input's element lies that kernel place k brings to output place o; -1 for none.
  const auto source = [&](const std::vector<int64_t>& o, const std::vector<int64_t>& k) {
    std::vector<int64_t> at(o.size());
    for (std::size_t dim = 0; dim < o.size(); ++dim) {
      const auto d = static_cast<int>(dim);
      const int64_t stride = call.entry(3, d, 1);
      const int64_t padding = call.entry(4, d, 0);
      const int64_t reach = k[dim] * call.entry(form.dilation, d, 1);
      at[dim] = transposed ? o[dim] + padding - reach : o[dim] * stride - padding + reach;
      if (!transposed) continue;
      if (at[dim] % stride != 0) return int64_t{-1};
      at[dim] /= stride;
    }
    return input.place(at);
  };
  std::size_t to = 0;
  for (int64_t n = 0; n < batch; ++n) {
    for (int64_t f = 0; f < filters; ++f) {
      const int64_t group = f / filters_in_group;
      for (int64_t o = 0; o < output.count(); ++o, ++to) {
        PlainTensor x;
        PlainTensor w;
        for (int64_t c = 0; c < in_group; ++c) {
          const int64_t channel = group * in_group + c;
          const int64_t weights = transposed ? channel * filters_in_group + f % filters_in_group : f * in_group + c;
          for (int64_t k = 0; k < kernel.count(); ++k) {
            const int64_t place = source(output.coordinates(o), kernel.coordinates(k));
            if (place < 0) continue;
            x.push_back(call.elements(0)[static_cast<std::size_t>((n * channels + channel) * input.count() + place)]);
            w.push_back(call.elements(1)[static_cast<std::size_t>(weights * kernel.count() + k)]);
          }
        }
        const double sum = p.dot(x, w);
        results[0][to] =
            call.has(2) ? p.accumulator().add(p.kept(sum), call.elements(2)[static_cast<std::size_t>(f)]) : sum;
      }
    }
  }
}

// The window of a pool at an output place: the input's places in it, and how many places it has with the padding.
struct Window {
  std::vector<std::size_t> places;
  int64_t padded = 1;
};

// kernel, stride and padding are parameters 1, 2 and 3; the stride is the kernel where it is empty.
Window window_at(const PlainCall& call, const Box& input, const std::vector<int64_t>& o, int dilation) {
  std::vector<int64_t> kernel_sizes;
  for (int dim = 0; dim < input.rank(); ++dim) kernel_sizes.push_back(call.entry(1, dim, 1));
  const Box kernel(kernel_sizes);
  Window window;
  std::vector<int64_t> start(o.size());
  for (int dim = 0; dim < input.rank(); ++dim) {
    const auto d = static_cast<std::size_t>(dim);
    const int64_t padding = call.entry(3, dim, 0);
    start[d] = o[d] * call.entry(2, dim, kernel.size(dim)) - padding;
    // A window over the end, where the size was rounded up, ends with the padding.
    window.padded *= std::min(start[d] + kernel.size(dim), input.size(dim) + padding) - start[d];
  }
  for (int64_t k = 0; k < kernel.count(); ++k) {
    std::vector<int64_t> at = kernel.coordinates(k);
    for (std::size_t d = 0; d < at.size(); ++d) {
      at[d] = start[d] + at[d] * (dilation < 0 ? 1 : call.entry(dilation, static_cast<int>(d), 1));
    }
    if (const int64_t place = input.place(at); place >= 0) window.places.push_back(static_cast<std::size_t>(place));
  }
  return window;
}

// For each plane of a picture of `spatial` dims, each output place: its elements in the window.
template <class WindowAt, class Reduce>
void pool(const PlainCall& call, PlainTensor& result, int spatial, WindowAt window_of, Reduce reduce) {
  const Box input(call.sizes(0), call.rank(0) - spatial);
  const Box output(call.result_sizes(), call.rank(0) - spatial);
  const auto plane_size = static_cast<std::size_t>(input.count());
  const auto outputs = static_cast<std::size_t>(output.count());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Window window = window_of(input, output, output.coordinates(static_cast<int64_t>(i % outputs)));
    PlainTensor elements;
    for (const std::size_t place : window.places)
      elements.push_back(call.elements(0)[i / outputs * plane_size + place]);
    result[i] = reduce(elements, window);
  }
}

// ceil_mode is in the result's sizes; parameter 5 counts the padding, parameter 6 overrides the divisor.
template <int spatial>
void average_pool(Perturbed& p, const PlainCall& call, Results& results) {
  pool(
      call, results[0], spatial,
      [&](const Box& input, const Box&, const std::vector<int64_t>& o) { return window_at(call, input, o, -1); },
      [&](const PlainTensor& elements, const Window& window) {
        auto divisor = static_cast<double>(call.boolean(5) ? window.padded : static_cast<int64_t>(elements.size()));
        if (spatial > 1 && call.has(6)) divisor = call.real(6);
        return elements.empty() ? 0 : plain_mean(p, p.sum(elements), divisor);
      });
}

template <int spatial>
void adaptive_average_pool(Perturbed& p, const PlainCall& call, Results& results) {
  const auto window_of = [](const Box& input, const Box& output, const std::vector<int64_t>& o) {
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
  };
  pool(call, results[0], spatial, window_of, [&](const PlainTensor& elements, const Window&) {
    return plain_mean(p, p.sum(elements), static_cast<double>(elements.size()));
  });
}

template <int spatial>
void max_pool(Perturbed& p, const PlainCall& call, Results& results) {
  pool(
      call, results[0], spatial,
      [&](const Box& input, const Box&, const std::vector<int64_t>& o) { return window_at(call, input, o, 4); },
      [&](const PlainTensor& elements, const Window&) {
        double most = -std::numeric_limits<double>::infinity();
        for (const double x : elements) most = p.maximum(most, x);
        return most;
      });
}

// A place between two elements of a line.
struct Between {
  std::size_t first;
  std::size_t second;
  double weight;  // of the second
};

// align_corners is parameter 2, a scale parameter `scale`.
Between between(const Perturbed& p, const PlainCall& call, int dim, int64_t o, int scale) {
  const Arithmetic& a = p.index();
  const auto in = static_cast<double>(call.sizes(0)[dim]);
  const auto out = static_cast<double>(call.result_sizes()[dim]);
  double at = 0;
  if (call.boolean(2)) {
    at = out > 1 ? a.mul(a.div(in - 1, out - 1), static_cast<double>(o)) : 0;
  } else {
    const double step = call.has(scale) ? a.div(1, call.real(scale)) : a.div(in, out);
    at = std::max(a.sub(a.mul(step, static_cast<double>(o) + 0.5), 0.5), 0.0);
  }
  const double whole = std::min(std::floor(at), in - 1);
  return {static_cast<std::size_t>(whole), static_cast<std::size_t>(std::min(whole + 1, in - 1)),
          std::min(a.sub(at, whole), 1.0)};
}

double mixed(const Arithmetic& a, double first, double second, double weight) {
  return a.fma(weight, second, a.mul(a.sub(1, weight), first));
}

void linear_1d(Perturbed& p, const PlainCall& call, Results& results) {
  const auto in = static_cast<std::size_t>(call.sizes(0)[2]);
  const auto out = static_cast<std::size_t>(call.result_sizes()[2]);
  for (std::size_t i = 0; i < results[0].size(); ++i) {
    const Between x = between(p, call, 2, static_cast<int64_t>(i % out), 3);
    const std::size_t line = i / out * in;
    results[0][i] =
        mixed(p.accumulator(), call.elements(0)[line + x.first], call.elements(0)[line + x.second], x.weight);
  }
}

void bilinear_2d(Perturbed& p, const PlainCall& call, Results& results) {
  const Arithmetic& a = p.accumulator();
  const auto rows = static_cast<std::size_t>(call.sizes(0)[2]);
  const auto columns = static_cast<std::size_t>(call.sizes(0)[3]);
  const auto out_rows = static_cast<std::size_t>(call.result_sizes()[2]);
  const auto out_columns = static_cast<std::size_t>(call.result_sizes()[3]);
  for (std::size_t i = 0; i < results[0].size(); ++i) {
    const Between y = between(p, call, 2, static_cast<int64_t>(i / out_columns % out_rows), 3);
    const Between x = between(p, call, 3, static_cast<int64_t>(i % out_columns), 4);
    const std::size_t plane = i / (out_rows * out_columns) * rows * columns;
    const auto along = [&](std::size_t row) {
      const std::size_t line = plane + row * columns;
      return mixed(a, call.elements(0)[line + x.first], call.elements(0)[line + x.second], x.weight);
    };
    results[0][i] = mixed(a, along(y.first), along(y.second), y.weight);
  }
}

}  // namespace

std::vector<PlainOp> plain_picture_ops() {
  return {
      {"convolution", "aten.convolution.default", convolution<general>},
      {"convolution", "aten.conv1d.default", convolution<forward>},
      {"convolution", "aten.conv2d.default", convolution<forward>},
      {"pool", "aten.avg_pool1d.default", average_pool<1>},
      {"pool", "aten.avg_pool2d.default", average_pool<2>},
      {"pool", "aten.adaptive_avg_pool1d.default", adaptive_average_pool<1>},
      {"pool", "aten._adaptive_avg_pool2d.default", adaptive_average_pool<2>},
      {"pool", "aten.max_pool2d_with_indices.default", max_pool<2>},
      {"upsample", "aten.upsample_linear1d.default", linear_1d},
      {"upsample", "aten.upsample_bilinear2d.default", bilinear_2d},
  };
}

}  // namespace parallax
