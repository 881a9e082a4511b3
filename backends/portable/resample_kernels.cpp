// Pictures at other sizes.
#include <algorithm>
#include <array>

#include "backends/portable/resampling.h"

namespace parallax::portable {
namespace {

enum class Mode : uint8_t { Nearest, NearestExact, Linear, Cubic };

struct Resampling {
  int spatial = 2;
  Mode mode = Mode::Nearest;
};

// The factor that a call gives for one of the spatial dims, depth, height and width: in a list or as an argument.
std::optional<double> factor_of(const KernelCall& call, int dim, int spatial) {
  if (call.takes(arg::scale_factors)) {
    if (!call.has(arg::scale_factors)) return std::nullopt;
    const auto own = static_cast<std::size_t>(dim - (most_spatial_dims - spatial));
    return as_double(std::get<ScalarList>(call.argument(arg::scale_factors))[own]);
  }
  constexpr std::array names = {arg::scales_d, arg::scales_h, arg::scales_w};
  const arg name = spatial == 1 ? arg::scales : names[static_cast<std::size_t>(dim)];
  return call.has(name) ? std::optional(call.real(name)) : std::nullopt;
}

// How a dim is resampled. The positions are counted in float, as eager does but for f64.
template <class W>
struct Axis {
  int64_t from, to;
  bool align_corners;
  std::optional<double> factor;

  W scale() const {
    if (align_corners) return to > 1 ? static_cast<W>(from - 1) / static_cast<W>(to - 1) : W(0);
    if (factor && *factor > 0) return static_cast<W>(1 / *factor);
    return static_cast<W>(from) / static_cast<W>(to);
  }

  Taps<W> taps(Mode mode, int64_t position) const {
    const auto at = static_cast<W>(position);
    if (mode == Mode::Nearest) {
      return one_tap<W>(std::min(static_cast<int64_t>(std::floor(at * scale())), from - 1));
    }
    if (mode == Mode::NearestExact) {
      return one_tap<W>(std::min(static_cast<int64_t>(std::floor((at + W(0.5)) * scale())), from - 1));
    }
    if (mode == Mode::Linear && from == to) return linear_taps(at, from);
    const W place = align_corners ? at * scale() : (at + W(0.5)) * scale() - W(0.5);
    if (mode == Mode::Linear) return linear_taps(std::max(place, W(0)), from);
    Taps<W> taps = cubic_taps(place);
    for (int64_t& tap : taps.places) tap = std::clamp<int64_t>(tap, 0, from - 1);
    return taps;
  }
};

template <Resampling form>
Result<void> upsample(const KernelCall& call) {
  const TensorRef& input = call.input(first_operand);
  const DType dtype = call.output().dtype;
  const Space from = spatial_sizes(input.layout->sizes, form.spatial);
  const Space to = spatial_sizes(call.output_sizes(), form.spatial);
  const bool align_corners = call.takes(arg::align_corners) && call.boolean(arg::align_corners);
  with_float_type(is_floating(dtype) ? dtype : DType::F32, [&]<class W>(std::type_identity<W>) {
    std::array<std::vector<Taps<W>>, most_spatial_dims> taps;
    for (int dim = 0; dim < most_spatial_dims; ++dim) {
      const bool own = dim >= most_spatial_dims - form.spatial;
      const auto d = static_cast<std::size_t>(dim);
      // As eager's kernel for small pictures, which leaves the factor out where a size stays or doubles.
      const bool is_whole =
          form.mode == Mode::Nearest && form.spatial == 2 && (to[d] == from[d] || to[d] == 2 * from[d]);
      const std::optional<double> factor = own && !is_whole ? factor_of(call, dim, form.spatial) : std::nullopt;
      const Axis<W> axis{from[d], to[d], align_corners, factor};
      for (int64_t i = 0; i < to[d]; ++i) taps[d].push_back(own ? axis.taps(form.mode, i) : one_tap<W>(0));
    }
    const Numbers<W> values = call.read<W>(input, *input.layout, is_floating(dtype) ? dtype : DType::F32);
    const int64_t planes = positions(from) == 0 ? 0 : input.layout->numel() / positions(from);
    Numbers<W> resampled = call.numbers<W>(0);
    for (int64_t plane = 0; plane < planes; ++plane) {
      const W* elements = values.data() + plane * positions(from);
      for (const Taps<W>& z : taps[0]) {
        for (const Taps<W>& y : taps[1]) {
          for (const Taps<W>& x : taps[2]) resampled.push_back(weighted_sum(elements, from, z, y, x));
        }
      }
    }
    if (!is_floating(dtype)) {
      for (W& x : resampled) x = std::clamp(std::nearbyint(x), W(0), W(255));
    }
    call.write(resampled);
  });
  return {};
}

constexpr Resampling with(int spatial, Mode mode) { return {spatial, mode}; }

constexpr std::array resample_table = {
    KernelEntry{"aten.upsample_nearest1d.default", upsample<with(1, Mode::Nearest)>},
    KernelEntry{"aten.upsample_nearest2d.default", upsample<with(2, Mode::Nearest)>},
    KernelEntry{"aten.upsample_nearest3d.default", upsample<with(3, Mode::Nearest)>},
    KernelEntry{"aten._upsample_nearest_exact1d.default", upsample<with(1, Mode::NearestExact)>},
    KernelEntry{"aten._upsample_nearest_exact2d.default", upsample<with(2, Mode::NearestExact)>},
    KernelEntry{"aten.upsample_linear1d.default", upsample<with(1, Mode::Linear)>},
    KernelEntry{"aten.upsample_bilinear2d.default", upsample<with(2, Mode::Linear)>},
    KernelEntry{"aten.upsample_trilinear3d.default", upsample<with(3, Mode::Linear)>},
    KernelEntry{"aten.upsample_bicubic2d.default", upsample<with(2, Mode::Cubic)>},
    KernelEntry{"aten.upsample_nearest1d.vec", upsample<with(1, Mode::Nearest)>},
    KernelEntry{"aten.upsample_nearest2d.vec", upsample<with(2, Mode::Nearest)>},
    KernelEntry{"aten.upsample_nearest3d.vec", upsample<with(3, Mode::Nearest)>},
    KernelEntry{"aten._upsample_nearest_exact1d.vec", upsample<with(1, Mode::NearestExact)>},
    KernelEntry{"aten._upsample_nearest_exact2d.vec", upsample<with(2, Mode::NearestExact)>},
    KernelEntry{"aten.upsample_linear1d.vec", upsample<with(1, Mode::Linear)>},
    KernelEntry{"aten.upsample_bilinear2d.vec", upsample<with(2, Mode::Linear)>},
    KernelEntry{"aten.upsample_trilinear3d.vec", upsample<with(3, Mode::Linear)>},
    KernelEntry{"aten.upsample_bicubic2d.vec", upsample<with(2, Mode::Cubic)>},
};

}  // namespace

std::span<const KernelEntry> resample_kernels() { return resample_table; }

}  // namespace parallax::portable
