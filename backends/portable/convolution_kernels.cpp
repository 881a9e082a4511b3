// Convolutions as products of matrices: what each window of a picture shows is written out as a column (im2col), some
// rows of windows at a time. A transposed one makes the columns by a product and adds them up where their windows lie.
#include <algorithm>
#include <array>

#include "backends/portable/matrix_product.h"
#include "backends/portable/windows.h"

namespace parallax::portable {
namespace {

// Windows over a grid: position s of the coarse grid and tap k of the kernel meet the fine grid at
// s stride + k dilation - padding. The coarse grid is a convolution's output, and a transposed one's input.
struct Grid {
  Space coarse, fine, kernel, stride, padding, dilation;

  int64_t rows() const { return coarse[0] * coarse[1]; }
  int64_t taps() const { return positions(kernel); }
};

// The part of a coarse row that meets the fine grid at a tap: `count` positions from `first` on. The fine ones begin at
// the element `fine`, the stride apart.
struct Line {
  int64_t first = 0;
  int64_t count = 0;
  int64_t fine = 0;
};

Line line_at(const Grid& grid, int64_t row, int64_t tap) {
  const Space at = {row / grid.coarse[1], row % grid.coarse[1], 0};
  const Space k = {tap / (grid.kernel[1] * grid.kernel[2]), tap / grid.kernel[2] % grid.kernel[1],
                   tap % grid.kernel[2]};
  Space start{};
  for (std::size_t d = 0; d < at.size(); ++d) {
    start[d] = at[d] * grid.stride[d] + k[d] * grid.dilation[d] - grid.padding[d];
    if (d < 2 && (start[d] < 0 || start[d] >= grid.fine[d])) return {};
  }
  const int64_t step = grid.stride[2];
  const int64_t first = start[2] < 0 ? (-start[2] + step - 1) / step : 0;
  const int64_t end = start[2] >= grid.fine[2] ? 0 : (grid.fine[2] - 1 - start[2]) / step + 1;
  if (first >= std::min(end, grid.coarse[2])) return {};
  const int64_t fine = (start[0] * grid.fine[1] + start[1]) * grid.fine[2] + start[2] + first * step;
  return {first, std::min(end, grid.coarse[2]) - first, fine};
}

// Rows of the coarse grid whose columns are in memory together.
struct Rows {
  int64_t first, end;
  int64_t count() const { return end - first; }
};

// Calls `visit(column, fine, count)` for each stretch of positions that a channel's taps meet: `column` is its place
// among the columns of these rows, one line of the matrix a channel and tap.
template <class Visit>
void for_each_line(const Grid& grid, const Rows& rows, int64_t channels, Visit&& visit) {
  const int64_t width = rows.count() * grid.coarse[2];
  for (int64_t tap = 0; tap < grid.taps(); ++tap) {
    for (int64_t row = rows.first; row < rows.end; ++row) {
      const Line line = line_at(grid, row, tap);
      if (line.count == 0) continue;
      const int64_t in_columns = (row - rows.first) * grid.coarse[2] + line.first;
      for (int64_t channel = 0; channel < channels; ++channel) {
        visit((channel * grid.taps() + tap) * width + in_columns, channel * positions(grid.fine) + line.fine,
              line.count);
      }
    }
  }
}

// So that the columns stay in a cache.
constexpr int64_t most_column_elements = 1 << 16;

template <class Visit>
void for_each_block(const Grid& grid, int64_t lines, Visit&& visit) {
  const int64_t row_elements = std::max<int64_t>(lines * grid.coarse[2], 1);
  const int64_t height = std::max<int64_t>(most_column_elements / row_elements, 1);
  for (int64_t row = 0; row < grid.rows(); row += height) visit(Rows{row, std::min(row + height, grid.rows())});
}

// Channels of one group.
struct Channels {
  int64_t in, out;
};

template <class C>
class Convolver {
 public:
  Convolver(const KernelCall& call, const Grid& grid, const Channels& channels)
      : grid_(grid), channels_(channels), columns_(call.numbers<C>(0)), block_(call.numbers<C>(0)) {}

  // One group of one picture. `weight` is [out, in taps].
  void forward(const C* input, const C* weight, C* output) {
    const int64_t lines = channels_.in * grid_.taps();
    for_each_block(grid_, lines, [&](const Rows& rows) {
      const int64_t width = rows.count() * grid_.coarse[2];
      columns_.assign(static_cast<std::size_t>(lines * width), C(0));
      for_each_line(grid_, rows, channels_.in, [&](int64_t column, int64_t fine, int64_t count) {
        for (int64_t i = 0; i < count; ++i) columns_[at(column + i)] = input[fine + i * grid_.stride[2]];
      });
      block_.resize(at(channels_.out * width));
      multiply_matrices({channels_.out, lines, width}, weight, columns_.data(), block_.data());
      for (int64_t channel = 0; channel < channels_.out; ++channel) {
        C* to = output + channel * positions(grid_.coarse) + rows.first * grid_.coarse[2];
        for (int64_t i = 0; i < width; ++i) to[i] = add(to[i], block_[at(channel * width + i)]);
      }
    });
  }

  // Likewise; `weight` is [out taps, in].
  void transposed(const C* input, const C* weight, C* output) {
    const int64_t lines = channels_.out * grid_.taps();
    for_each_block(grid_, lines, [&](const Rows& rows) {
      const int64_t width = rows.count() * grid_.coarse[2];
      block_.resize(at(channels_.in * width));
      for (int64_t channel = 0; channel < channels_.in; ++channel) {
        std::copy_n(input + channel * positions(grid_.coarse) + rows.first * grid_.coarse[2], width,
                    block_.data() + channel * width);
      }
      columns_.resize(at(lines * width));
      multiply_matrices({lines, channels_.in, width}, weight, block_.data(), columns_.data());
      for_each_line(grid_, rows, channels_.out, [&](int64_t column, int64_t fine, int64_t count) {
        for (int64_t i = 0; i < count; ++i) {
          C& sum = output[fine + i * grid_.stride[2]];
          sum = add(sum, columns_[at(column + i)]);
        }
      });
    });
  }

 private:
  static std::size_t at(int64_t i) { return static_cast<std::size_t>(i); }

  const Grid& grid_;
  Channels channels_;
  Numbers<C> columns_;
  Numbers<C> block_;
};

// [rows, columns] as [columns, rows], in place.
template <class C>
void transpose(C* matrix, int64_t rows, int64_t columns, Numbers<C>& scratch) {
  scratch.assign(matrix, matrix + rows * columns);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      matrix[column * rows + row] = scratch[static_cast<std::size_t>(row * columns + column)];
    }
  }
}

// Whether the call is a transposed convolution. Only these have an output padding; the one op that is either kind has
// it as well, and says which it is.
bool is_transposed(const KernelCall& call) {
  return call.takes(arg::transposed) ? call.boolean(arg::transposed) : call.takes(arg::output_padding);
}

Result<void> convolve(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  const Dims& weight_sizes = call.input(arg::weight).layout->sizes;
  const Dims& input_sizes = call.input(arg::input).layout->sizes;
  const int spatial = weight_sizes.size() - 2;
  const bool transposed = is_transposed(call);
  const Space input_space = spatial_sizes(input_sizes, spatial);
  const Space output_space = spatial_sizes(call.output_sizes(), spatial);
  const auto numbers = [&](arg name, int64_t otherwise) {
    return spatial_numbers(call.integers(name), spatial, otherwise);
  };
  const Grid grid{.coarse = transposed ? input_space : output_space,
                  .fine = transposed ? output_space : input_space,
                  .kernel = spatial_sizes(weight_sizes, spatial),
                  .stride = numbers(arg::stride, 1),
                  .padding = numbers(arg::padding, 0),
                  .dilation = numbers(arg::dilation, 1)};
  const int64_t groups = call.integer(arg::groups);
  const int channel_dim = input_sizes.size() - spatial - 1;  // without a batch dim it is the first
  const int64_t batch = channel_dim == 0 ? 1 : input_sizes[0];
  const Channels channels{input_sizes[channel_dim] / groups, call.output_sizes()[channel_dim] / groups};
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    const Numbers<C> input = call.read<C>(arg::input, dtype);
    Numbers<C> weight = call.read<C>(arg::weight, dtype);
    Numbers<C> output = call.numbers<C>(call.output().layout->numel());
    if (call.has(arg::bias)) {
      const Numbers<C> bias = call.read<C>(arg::bias, dtype);
      const auto size = static_cast<std::size_t>(positions(output_space));
      for (std::size_t i = 0; i < output.size(); ++i) output[i] = bias[i / size % bias.size()];
    }
    const int64_t group_weights = channels.in * channels.out * grid.taps();
    Convolver<C> convolver(call, grid, channels);
    if (transposed) {
      Numbers<C> scratch = call.numbers<C>(0);
      for (int64_t g = 0; g < groups; ++g) {
        transpose(weight.data() + g * group_weights, channels.in, channels.out * grid.taps(), scratch);
      }
    }
    for (int64_t picture = 0; picture < batch * groups; ++picture) {
      const C* from = input.data() + picture * channels.in * positions(input_space);
      C* to = output.data() + picture * channels.out * positions(output_space);
      const C* factors = weight.data() + picture % groups * group_weights;
      transposed ? convolver.transposed(from, factors, to) : convolver.forward(from, factors, to);
    }
    call.write(output);
  });
  return {};
}

constexpr std::array convolution_table = {
    KernelEntry{"aten.convolution.default", convolve},      KernelEntry{"aten.conv1d.default", convolve},
    KernelEntry{"aten.conv2d.default", convolve},           KernelEntry{"aten.conv3d.default", convolve},
    KernelEntry{"aten.conv_transpose1d.default", convolve}, KernelEntry{"aten.conv_transpose2d.input", convolve},
    KernelEntry{"aten.conv_transpose3d.input", convolve},
};

}  // namespace

std::span<const KernelEntry> convolution_kernels() { return convolution_table; }

}  // namespace parallax::portable
