// Gradients: what each place gets is listed first, and then added up in the implementation's order.
#include <algorithm>
#include <map>

#include "tests/soundness/plain_box.h"
#include "tests/soundness/plain_call.h"

namespace parallax {
namespace {

using Results = std::vector<PlainTensor>;
using Parts = std::vector<PlainTensor>;  // of each place

void add_up(const Perturbed& p, const Parts& parts, PlainTensor& result) {
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = p.sum(parts[i]);
}

std::size_t from_end(const Dims& sizes, int place) { return static_cast<std::size_t>(sizes[sizes.size() - place]); }

// One window along one dim: [first, end) of the elements, and its length with the padding.
struct Window {
  int64_t first, end, length;
};

template <class WindowAt, class Share>
void spread(Perturbed& p, const PlainCall& call, PlainTensor& result, WindowAt window_at, Share share) {
  const Dims& in = call.sizes(arg::self);
  const Dims& out = call.sizes(arg::grad_output);
  Parts parts(result.size());
  const PlainTensor& gradients = call.elements(arg::grad_output);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const std::size_t column = i % from_end(out, 1);
    const std::size_t row = i / from_end(out, 1) % from_end(out, 2);
    const std::size_t picture = i / (from_end(out, 1) * from_end(out, 2));
    const Window down = window_at(0, static_cast<int64_t>(row));
    const Window across = window_at(1, static_cast<int64_t>(column));
    for (int64_t y = down.first; y < down.end; ++y) {
      for (int64_t x = across.first; x < across.end; ++x) {
        const std::size_t place = (picture * from_end(in, 2) + static_cast<std::size_t>(y)) * from_end(in, 1);
        parts[place + static_cast<std::size_t>(x)].push_back(share(gradients[i], down, across));
      }
    }
  }
  add_up(p, parts, result);
}

double divided(const Perturbed& p, double x, int64_t by) {
  const auto divisor = static_cast<double>(by);
  return p.kept(p.other_form() ? p.mul(x, p.div(1, divisor)) : p.div(x, divisor));
}

void average_pool(Perturbed& p, const PlainCall& call, Results& results) {
  const auto window_at = [&](int dim, int64_t o) {
    const auto size = static_cast<int64_t>(from_end(call.sizes(arg::self), 2 - dim));
    const int64_t kernel = call.entry(arg::kernel_size, dim, 1);
    const int64_t padding = call.entry(arg::padding, dim, 0);
    const int64_t start = o * call.entry(arg::stride, dim, kernel) - padding;
    const int64_t end = std::min(start + kernel, size + padding);
    return Window{std::max<int64_t>(start, 0), std::min(end, size), end - start};
  };
  spread(p, call, results[0], window_at, [&](double x, const Window& down, const Window& across) {
    const bool padded = call.boolean(arg::count_include_pad);
    const auto length = [&](const Window& window) { return padded ? window.length : window.end - window.first; };
    const int64_t own = length(down) * length(across);
    return divided(p, x, call.has(arg::divisor_override) ? call.integer(arg::divisor_override) : own);
  });
}

void adaptive_average_pool(Perturbed& p, const PlainCall& call, Results& results) {
  const auto window_at = [&](int dim, int64_t o) {
    const auto in = static_cast<int64_t>(from_end(call.sizes(arg::self), 2 - dim));
    const auto out = static_cast<int64_t>(from_end(call.sizes(arg::grad_output), 2 - dim));
    const int64_t first = o * in / out;
    const int64_t end = ((o + 1) * in + out - 1) / out;
    return Window{first, end, end - first};
  };
  spread(p, call, results[0], window_at, [&](double x, const Window& down, const Window& across) {
    if (p.other_form()) return divided(p, x, down.length * across.length);
    return p.kept(p.div(p.kept(p.div(x, static_cast<double>(down.length))), static_cast<double>(across.length)));
  });
}

void table_rows(Perturbed& p, const PlainCall& call, Results& results) {
  const PlainTensor& indices = call.elements(arg::indices);
  const PlainTensor& gradients = call.elements(arg::grad_output);
  const std::size_t width = from_end(call.result_sizes(), 1);
  std::map<double, int64_t> counts;
  for (const double row : indices) ++counts[row];
  Parts parts(results[0].size());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] == static_cast<double>(call.integer(arg::padding_idx))) continue;
    for (std::size_t column = 0; column < width; ++column) {
      const double x = gradients[i * width + column];
      const bool scales = call.boolean(arg::scale_grad_by_freq);
      parts[static_cast<std::size_t>(indices[i]) * width + column].push_back(scales ? divided(p, x, counts[indices[i]])
                                                                                    : x);
    }
  }
  add_up(p, parts, results[0]);
}

void columns(Perturbed& p, const PlainCall& call, Results& results) {
  const auto number = [&](arg list, int dim) { return call.entry(list, dim, 1); };
  const auto height = static_cast<int64_t>(from_end(call.result_sizes(), 2));
  const auto width = static_cast<int64_t>(from_end(call.result_sizes(), 1));
  const auto blocks = [&](int dim, int64_t size) {
    const int64_t reach = number(arg::dilation, dim) * (number(arg::kernel_size, dim) - 1) + 1;
    return (size + 2 * number(arg::padding, dim) - reach) / number(arg::stride, dim) + 1;
  };
  const int64_t down = blocks(0, height);
  const int64_t across = blocks(1, width);
  const int64_t taps = number(arg::kernel_size, 0) * number(arg::kernel_size, 1);
  const PlainTensor& elements = call.elements(arg::self);
  Parts parts(results[0].size());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    const int64_t block = at % (down * across);
    const int64_t tap = at / (down * across) % taps;
    const int64_t picture = at / (down * across * taps);
    const auto along = [&](int dim, int64_t of_block, int64_t of_tap) {
      return of_block * number(arg::stride, dim) + of_tap * number(arg::dilation, dim) - number(arg::padding, dim);
    };
    const int64_t y = along(0, block / across, tap / number(arg::kernel_size, 1));
    const int64_t x = along(1, block % across, tap % number(arg::kernel_size, 1));
    if (y < 0 || y >= height || x < 0 || x >= width) continue;
    parts[static_cast<std::size_t>((picture * height + y) * width + x)].push_back(elements[i]);
  }
  add_up(p, parts, results[0]);
}

// One lane with a mean and an inverse deviation, whose element k has the weight of channel(k).
template <class Channel>
void normalized_lane(const Perturbed& p, const PlainCall& call, Results& results, std::size_t number,
                     std::size_t length, Channel channel, Parts& weights, Parts& biases) {
  const Arithmetic& a = p.accumulator();
  const double mean = call.elements(arg::mean)[number];
  const double inverse = call.elements(arg::rstd)[number];
  PlainTensor x;
  PlainTensor normal;
  PlainTensor scaled;
  for (std::size_t k = 0; k < length; ++k) {
    const double element = call.elements(arg::input)[number * length + k];
    const double gradient = call.elements(arg::grad_out)[number * length + k];
    x.push_back(element);
    normal.push_back(p.other_form() ? a.sub(a.mul(element, inverse), a.mul(mean, inverse))
                                    : a.mul(a.sub(element, mean), inverse));
    scaled.push_back(a.mul(gradient, call.elements(arg::weight)[channel(k)]));
    weights[channel(k)].push_back(a.mul(gradient, normal[k]));
    biases[channel(k)].push_back(gradient);
  }
  const auto count = static_cast<double>(length);
  const double sum = a.sum(scaled);
  if (p.other_form()) {
    const double of_products = a.dot(scaled, x);
    const double cube = a.mul(a.mul(inverse, inverse), inverse);
    const double slope = a.mul(a.sub(a.mul(sum, mean), of_products), a.div(cube, count));
    const double shift = a.sub(-a.mul(slope, mean), a.div(a.mul(sum, inverse), count));
    for (std::size_t k = 0; k < length; ++k) {
      results[0][number * length + k] = a.add(a.add(a.mul(inverse, scaled[k]), a.mul(slope, x[k])), shift);
    }
    return;
  }
  const double mean_gradient = a.div(sum, count);
  const double along = a.div(a.dot(scaled, normal), count);
  for (std::size_t k = 0; k < length; ++k) {
    const double rest = a.sub(a.sub(scaled[k], mean_gradient), a.mul(normal[k], along));
    results[0][number * length + k] = a.mul(rest, inverse);
  }
}

void parameter_gradients(const Perturbed& p, const Parts& weights, const Parts& biases, Results& results) {
  for (std::size_t channel = 0; channel < weights.size(); ++channel) {
    results[1][channel] = p.accumulator().sum(weights[channel]);
    results[2][channel] = p.accumulator().sum(biases[channel]);
  }
}

void layer_norm(Perturbed& p, const PlainCall& call, Results& results) {
  const std::size_t length = results[1].size();
  Parts weights(length);
  Parts biases(length);
  for (std::size_t i = 0; i < results[0].size() / length; ++i) {
    normalized_lane(p, call, results, i, length, [](std::size_t k) { return k; }, weights, biases);
  }
  parameter_gradients(p, weights, biases, results);
}

void group_norm(Perturbed& p, const PlainCall& call, Results& results) {
  const auto groups = static_cast<std::size_t>(call.integer(arg::group));
  const auto inner = static_cast<std::size_t>(call.integer(arg::HxW));
  const std::size_t channels = results[1].size();
  const std::size_t length = channels / groups * inner;
  Parts weights(channels);
  Parts biases(channels);
  for (std::size_t i = 0; i < results[0].size() / length; ++i) {
    const std::size_t first = i % groups * (channels / groups);
    normalized_lane(p, call, results, i, length, [&](std::size_t k) { return first + k / inner; }, weights, biases);
  }
  parameter_gradients(p, weights, biases, results);
}

// With a stride of 1 and no padding, as the sampler draws it.
void convolution(Perturbed& p, const PlainCall& call, Results& results) {
  const Dims& in = call.sizes(arg::input);
  const Dims& kernel = call.sizes(arg::weight);
  const Dims& out = call.sizes(arg::grad_output);
  const auto spatial = [](const Dims& sizes) { return std::vector<int64_t>(sizes.begin() + 2, sizes.end()); };
  const Box input(spatial(in));
  const Box taps(spatial(kernel));
  const Box output(spatial(out));
  std::vector<std::pair<PlainTensor, PlainTensor>> of_input(results[0].size());
  std::vector<std::pair<PlainTensor, PlainTensor>> of_weight(results[1].size());
  Parts of_bias(results[2].size());
  const PlainTensor& gradients = call.elements(arg::grad_output);
  const auto note = [](auto& products, double a, double b) {
    products.first.push_back(a);
    products.second.push_back(b);
  };
  for (int64_t n = 0; n < out[0]; ++n) {
    for (int64_t o = 0; o < out[1]; ++o) {
      for (int64_t position = 0; position < output.count(); ++position) {
        const double gradient = gradients[static_cast<std::size_t>((n * out[1] + o) * output.count() + position)];
        of_bias[static_cast<std::size_t>(o)].push_back(gradient);
        for (int64_t tap = 0; tap < taps.count(); ++tap) {
          std::vector<int64_t> at = output.coordinates(position);
          const std::vector<int64_t> step = taps.coordinates(tap);
          for (std::size_t dim = 0; dim < at.size(); ++dim) at[dim] += step[dim];
          for (int64_t c = 0; c < in[1]; ++c) {
            const auto x = static_cast<std::size_t>((n * in[1] + c) * input.count() + input.place(at));
            const auto w = static_cast<std::size_t>((o * in[1] + c) * taps.count() + tap);
            note(of_input[x], gradient, call.elements(arg::weight)[w]);
            note(of_weight[w], gradient, call.elements(arg::input)[x]);
          }
        }
      }
    }
  }
  for (std::size_t i = 0; i < of_input.size(); ++i) results[0][i] = p.dot(of_input[i].first, of_input[i].second);
  for (std::size_t i = 0; i < of_weight.size(); ++i) results[1][i] = p.dot(of_weight[i].first, of_weight[i].second);
  add_up(p, of_bias, results[2]);
}

PlainOp in_own_dtype(std::string_view name, PlainOp::Whole function) {
  return {.family = "gradient", .name = name, .function = function, .carries_halves = true};
}

}  // namespace

std::vector<PlainOp> plain_gradient_ops() {
  return {
      in_own_dtype("aten.avg_pool2d_backward.default", average_pool),
      in_own_dtype("aten._adaptive_avg_pool2d_backward.default", adaptive_average_pool),
      in_own_dtype("aten.embedding_dense_backward.default", table_rows),
      in_own_dtype("aten.col2im.default", columns),
      {"gradient", "aten.native_layer_norm_backward.default", layer_norm},
      {"gradient", "aten.native_group_norm_backward.default", group_norm},
      {"gradient", "aten.convolution_backward.default", convolution},
  };
}

}  // namespace parallax
