// grid_sampler: pictures at points between -1 and 1 that a grid gives.
#include <algorithm>
#include <array>

#include "backends/portable/resampling.h"

namespace parallax::portable {
namespace {

enum class Mode : uint8_t { Linear, Nearest, Cubic };
enum class Padding : uint8_t { Zeros, Border, Reflection };

// A dim of the picture, as the arguments say how points meet it.
struct Axis {
  int64_t size;
  Padding padding;
  bool align_corners;

  template <class W>
  W clipped(W place) const {
    return std::min(static_cast<W>(size - 1), std::max(place, W(0)));
  }

  // Mirrored at the first and last element, or at their outer edges, as often as it takes.
  template <class W>
  W reflected(W place) const {
    const W low = align_corners ? W(0) : W(-0.5);
    const W span = align_corners ? static_cast<W>(size - 1) : static_cast<W>(size);
    if (span == W(0)) return W(0);
    const W distance = std::fabs(place - low);
    const W times = std::floor(distance / span);
    const W rest = std::fmod(distance, span);
    return std::fmod(times, W(2)) == W(0) ? rest + low : span - rest + low;
  }

  template <class W>
  W padded(W place) const {
    if (padding == Padding::Zeros) return place;
    return clipped(padding == Padding::Reflection ? reflected(place) : place);
  }

  // -1 where there is no such element, which is so of NaN too.
  template <class W>
  int64_t element(W place) const {
    return place > W(-1) && place < static_cast<W>(size) ? static_cast<int64_t>(place) : -1;
  }

  template <class W>
  Taps<W> taps(Mode mode, W point) const {
    const auto n = static_cast<W>(size);
    const W place = align_corners ? (point + W(1)) / W(2) * (n - W(1)) : ((point + W(1)) * n - W(1)) / W(2);
    if (mode == Mode::Nearest) return one_tap<W>(element(std::nearbyint(padded(place))));
    if (mode == Mode::Linear) {
      const W inside = padded(place);
      const W low = std::floor(inside);
      return {{element(low), element(low + W(1))}, {low + W(1) - inside, inside - low}, 2};
    }
    const W low = std::floor(place);
    Taps<W> taps = cubic_taps(place - low);
    for (std::size_t i = 0; i < taps.count; ++i) taps.places[i] = element(padded(low + static_cast<W>(i) - W(1)));
    return taps;
  }
};

template <int spatial>
Result<void> grid_sampler(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  const Dims& sizes = call.input(arg::input).layout->sizes;
  const Space from = spatial_sizes(sizes, spatial);
  const auto mode = static_cast<Mode>(call.integer(arg::interpolation_mode));
  const auto padding = static_cast<Padding>(call.integer(arg::padding_mode));
  const bool align_corners = call.boolean(arg::align_corners);
  const int64_t channels = sizes[1];
  const int64_t points = positions(spatial_sizes(call.output_sizes(), spatial));
  with_float_type(dtype, [&]<class W>(std::type_identity<W>) {
    const Numbers<W> pictures = call.read<W>(arg::input, dtype);
    const Numbers<W> grid = call.read<W>(arg::grid, dtype);
    Numbers<W> samples = call.numbers<W>(call.output().layout->numel());
    for (int64_t picture = 0; picture < sizes[0]; ++picture) {
      for (int64_t i = 0; i < points; ++i) {
        // A point is given from the last dim on.
        std::array<Taps<W>, most_spatial_dims> taps;
        taps.fill(one_tap<W>(0));
        for (int d = 0; d < spatial; ++d) {
          const auto dim = static_cast<std::size_t>(most_spatial_dims - 1 - d);
          const Axis axis{from[dim], padding, align_corners};
          taps[dim] = axis.taps(mode, grid[static_cast<std::size_t>((picture * points + i) * spatial + d)]);
        }
        for (int64_t channel = 0; channel < channels; ++channel) {
          const int64_t plane = picture * channels + channel;
          samples[static_cast<std::size_t>(plane * points + i)] =
              weighted_sum(pictures.data() + plane * positions(from), from, taps[0], taps[1], taps[2]);
        }
      }
    }
    call.write(samples);
  });
  return {};
}

constexpr std::array grid_table = {
    KernelEntry{"aten.grid_sampler_2d.default", grid_sampler<2>},
    KernelEntry{"aten.grid_sampler_3d.default", grid_sampler<3>},
};

}  // namespace

std::span<const KernelEntry> grid_kernels() { return grid_table; }

}  // namespace parallax::portable
