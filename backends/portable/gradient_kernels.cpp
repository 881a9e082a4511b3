// Gradients that are ops of their own: of average pools, tables, columns and convolutions.
#include <algorithm>
#include <array>

#include "backends/portable/windows.h"

namespace parallax::portable {
namespace {

// The elements from `first` to `end` along one dim, and as how many they count in a mean.
struct Window {
  int64_t first, end, extent;
};

struct Windows {
  std::vector<Window> rows;
  std::vector<Window> columns;
};

int64_t size_from_end(const Dims& sizes, int place) { return sizes[sizes.size() - place]; }

template <class WindowAt>
Windows windows_of(const KernelCall& call, WindowAt&& window_at) {
  const Dims& pooled = call.input(arg::grad_output).layout->sizes;
  Windows windows;
  for (int64_t o = 0; o < size_from_end(pooled, 2); ++o) windows.rows.push_back(window_at(0, o));
  for (int64_t o = 0; o < size_from_end(pooled, 1); ++o) windows.columns.push_back(window_at(1, o));
  return windows;
}

// `divide(gradient, row, column)` is what each element of a window gets.
template <class Divide>
void spread(const KernelCall& call, const Windows& windows, Divide&& divide) {
  const DType dtype = call.output().dtype;
  const int64_t height = size_from_end(call.output_sizes(), 2);
  const int64_t width = size_from_end(call.output_sizes(), 1);
  with_float_type(dtype, [&]<class C>(std::type_identity<C>) {
    const Numbers<C> gradients = call.read<C>(arg::grad_output, dtype);
    Numbers<C> sums = call.numbers<C>(call.output().layout->numel());
    std::size_t at = 0;
    for (int64_t picture = 0; at < gradients.size(); ++picture) {
      for (const Window& row : windows.rows) {
        for (const Window& column : windows.columns) {
          const C part = divide(gradients[at++], row, column);
          for (int64_t y = row.first; y < row.end; ++y) {
            for (int64_t x = column.first; x < column.end; ++x) {
              sums[static_cast<std::size_t>((picture * height + y) * width + x)] += part;
            }
          }
        }
      }
    }
    call.write(sums);
  });
}

Result<void> average_pool(const KernelCall& call) {
  const auto entry = [&](arg list, int dim) {
    const IntList& numbers = call.integers(list);
    return numbers[numbers.size() == 1 ? 0 : static_cast<std::size_t>(dim)];
  };
  const Windows windows = windows_of(call, [&](int dim, int64_t o) {
    const int64_t size = size_from_end(call.output_sizes(), 2 - dim);
    const int64_t kernel = entry(arg::kernel_size, dim);
    const int64_t stride = call.integers(arg::stride).empty() ? kernel : entry(arg::stride, dim);
    const int64_t padding = entry(arg::padding, dim);
    const int64_t start = o * stride - padding;
    const int64_t end = std::min(start + kernel, size + padding);
    return Window{std::max<int64_t>(start, 0), std::min(end, size), end - start};
  });
  spread(call, windows, [&]<class C>(C gradient, const Window& row, const Window& column) {
    if (call.has(arg::divisor_override)) return gradient / static_cast<C>(call.integer(arg::divisor_override));
    const bool padded = call.boolean(arg::count_include_pad);
    const auto length = [&](const Window& window) { return padded ? window.extent : window.end - window.first; };
    const int64_t divisor = length(row) * length(column);
    return divisor == 0 ? C(0) : gradient / static_cast<C>(divisor);
  });
  return {};
}

Result<void> adaptive_average_pool(const KernelCall& call) {
  const Dims& pooled = call.input(arg::grad_output).layout->sizes;
  const Windows windows = windows_of(call, [&](int dim, int64_t o) {
    const int64_t in = size_from_end(call.output_sizes(), 2 - dim);
    const int64_t out = size_from_end(pooled, 2 - dim);
    const int64_t first = o * in / out;
    const int64_t end = ((o + 1) * in + out - 1) / out;
    return Window{first, end, end - first};
  });
  spread(call, windows, []<class C>(C gradient, const Window& row, const Window& column) {
    return gradient / static_cast<C>(row.extent) / static_cast<C>(column.extent);
  });
  return {};
}

// Each row's gradients, by how often it is read where the call says so.
Result<void> table_rows(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  const int64_t rows = call.integer(arg::num_weights);
  const int64_t width = call.output_sizes()[1];
  const Numbers<int64_t> indices = call.read<int64_t>(arg::indices, DType::I64);
  Numbers<int64_t> counts = call.numbers<int64_t>(rows);
  for (const int64_t row : indices) {
    if (row < 0 || row >= rows) return refuse("row {} of a table of {}", row, rows);
    ++counts[static_cast<std::size_t>(row)];
  }
  with_float_type(dtype, [&]<class C>(std::type_identity<C>) {
    const Numbers<C> gradients = call.read<C>(arg::grad_output, dtype);
    Numbers<C> sums = call.numbers<C>(call.output().layout->numel());
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const int64_t row = indices[i];
      if (row == call.integer(arg::padding_idx)) continue;
      const bool scales = call.boolean(arg::scale_grad_by_freq);
      const C count = scales ? static_cast<C>(counts[static_cast<std::size_t>(row)]) : C(1);
      for (int64_t column = 0; column < width; ++column) {
        const C gradient = gradients[i * static_cast<std::size_t>(width) + static_cast<std::size_t>(column)];
        sums[static_cast<std::size_t>(row * width + column)] += gradient / count;
      }
    }
    call.write(sums);
  });
  return {};
}

// The columns of a picture, added up where they lie.
Result<void> columns_to_picture(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  const IntList& kernel = call.integers(arg::kernel_size);
  const IntList& stride = call.integers(arg::stride);
  const IntList& padding = call.integers(arg::padding);
  const IntList& dilation = call.integers(arg::dilation);
  const int64_t height = size_from_end(call.output_sizes(), 2);
  const int64_t width = size_from_end(call.output_sizes(), 1);
  const auto blocks = [&](std::size_t dim, int64_t size) {
    return (size + 2 * padding[dim] - dilation[dim] * (kernel[dim] - 1) - 1) / stride[dim] + 1;
  };
  const int64_t down = blocks(0, height);
  const int64_t across = blocks(1, width);
  with_float_type(dtype, [&]<class C>(std::type_identity<C>) {
    const Numbers<C> columns = call.read<C>(arg::self, dtype);
    Numbers<C> sums = call.numbers<C>(call.output().layout->numel());
    std::size_t at = 0;
    for (int64_t picture = 0; at < columns.size(); ++picture) {
      for (int64_t tap = 0; tap < kernel[0] * kernel[1]; ++tap) {
        for (int64_t block = 0; block < down * across; ++block, ++at) {
          const int64_t y = block / across * stride[0] - padding[0] + tap / kernel[1] * dilation[0];
          const int64_t x = block % across * stride[1] - padding[1] + tap % kernel[1] * dilation[1];
          if (y < 0 || y >= height || x < 0 || x >= width) continue;
          sums[static_cast<std::size_t>((picture * height + y) * width + x)] += columns[at];
        }
      }
    }
    call.write(sums);
  });
  return {};
}

// Windows over the fine grid, one for each position of the coarse grid: the result of a convolution, and the input of a
// transposed one.
struct Grid {
  Space coarse, fine, kernel, stride, padding, dilation;

  // The fine position that a tap of a window lies on, or -1 beyond the border.
  int64_t fine_position(int64_t position, int64_t tap) const {
    int64_t place = 0;
    int64_t step = 1;
    for (std::size_t d = most_spatial_dims; d-- > 0;) {
      const int64_t at = position % coarse[d] * stride[d] + tap % kernel[d] * dilation[d] - padding[d];
      if (at < 0 || at >= fine[d]) return -1;
      place += at * step;
      step *= fine[d];
      position /= coarse[d];
      tap /= kernel[d];
    }
    return place;
  }
};

Result<void> convolution(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  const Dims& weight_sizes = call.input(arg::weight).layout->sizes;
  const Dims& input_sizes = call.input(arg::input).layout->sizes;
  const Dims& gradient_sizes = call.input(arg::grad_output).layout->sizes;
  const int spatial = weight_sizes.size() - 2;
  const bool transposed = call.boolean(arg::transposed);
  const auto numbers = [&](arg name, int64_t otherwise) {
    return spatial_numbers(call.integers(name), spatial, otherwise);
  };
  const Space input_space = spatial_sizes(input_sizes, spatial);
  const Space result_space = spatial_sizes(gradient_sizes, spatial);
  const Grid grid{.coarse = transposed ? input_space : result_space,
                  .fine = transposed ? result_space : input_space,
                  .kernel = spatial_sizes(weight_sizes, spatial),
                  .stride = numbers(arg::stride, 1),
                  .padding = numbers(arg::padding, 0),
                  .dilation = numbers(arg::dilation, 1)};
  // The weight is [coarse channels, fine channels of a group, taps] for either kind.
  const int64_t groups = call.integer(arg::groups);
  const int64_t coarse_channels = weight_sizes[0];
  const int64_t fine_channels = weight_sizes[1];
  const int64_t taps = positions(grid.kernel);
  with_float_type(dtype, [&]<class C>(std::type_identity<C>) {
    const Numbers<C> inputs = call.read<C>(arg::input, dtype);
    const Numbers<C> gradients = call.read<C>(arg::grad_output, dtype);
    const Numbers<C> weights = call.read<C>(arg::weight, dtype);
    Numbers<C> of_input = call.numbers<C>(static_cast<int64_t>(inputs.size()));
    Numbers<C> of_weight = call.numbers<C>(static_cast<int64_t>(weights.size()));
    Numbers<C> of_bias = call.numbers<C>(gradient_sizes[1]);
    for (int64_t n = 0; n < input_sizes[0]; ++n) {
      for (int64_t channel = 0; channel < coarse_channels; ++channel) {
        const int64_t group = channel / (coarse_channels / groups);
        for (int64_t position = 0; position < positions(grid.coarse); ++position) {
          const auto coarse =
              static_cast<std::size_t>((n * coarse_channels + channel) * positions(grid.coarse) + position);
          for (int64_t tap = 0; tap < taps; ++tap) {
            const int64_t place = grid.fine_position(position, tap);
            if (place < 0) continue;
            for (int64_t c = 0; c < fine_channels; ++c) {
              const int64_t fine_channel = group * fine_channels + c;
              const auto fine =
                  static_cast<std::size_t>((n * groups * fine_channels + fine_channel) * positions(grid.fine) + place);
              const auto weight = static_cast<std::size_t>((channel * fine_channels + c) * taps + tap);
              const std::size_t input = transposed ? coarse : fine;
              const std::size_t result = transposed ? fine : coarse;
              of_input[input] += gradients[result] * weights[weight];
              of_weight[weight] += gradients[result] * inputs[input];
            }
          }
        }
      }
    }
    const auto plane = static_cast<std::size_t>(positions(result_space));
    for (std::size_t i = 0; i < gradients.size(); ++i) of_bias[i / plane % of_bias.size()] += gradients[i];
    call.write(of_input, 0);
    call.write(of_weight, 1);
    call.write(of_bias, 2);
  });
  return {};
}

constexpr std::array gradient_table = {
    KernelEntry{"aten.avg_pool2d_backward.default", average_pool},
    KernelEntry{"aten._adaptive_avg_pool2d_backward.default", adaptive_average_pool},
    KernelEntry{"aten.embedding_dense_backward.default", table_rows},
    KernelEntry{"aten.col2im.default", columns_to_picture},
    KernelEntry{"aten.convolution_backward.default", convolution},
};

}  // namespace

std::span<const KernelEntry> gradient_kernels() { return gradient_table; }

}  // namespace parallax::portable
