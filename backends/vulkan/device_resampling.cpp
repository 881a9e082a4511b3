// Pictures at other sizes, and at points that a grid gives.
#include <algorithm>
#include <bit>

#include "backends/vulkan/device_kernel.h"
#include "backends/vulkan/shader_helpers.h"

namespace parallax::vulkan {
namespace {

std::string after_taps(std::string_view name) {
  return with_helpers(std::string(shader_text("taps")) + std::string(shader_text(name)));
}
const ShaderSource resample_source = {"resample", [] { return after_taps("resample"); }};
const ShaderSource grid_source = {"grid", [] { return after_taps("grid"); }};

// As in shaders/resample.glsl.
enum class Mode : uint32_t { Nearest, NearestExact, Linear, Cubic };

constexpr int most_resampled = 3;

// [batch, channel, z, y, x], whatever spatial dims there are.
Layout volume(Layout layout) {
  while (layout.rank() < most_resampled + 2) {
    layout.sizes.insert(2, 1);
    layout.strides.insert(2, 0);
  }
  return layout;
}

struct Resampling {
  int spatial = 2;
  Mode mode = Mode::Nearest;
};

// By what the caller says that the result is larger along one of so many spatial dims: in a list or by an argument
// each.
std::optional<double> factor_of(const Call& call, int dim, int spatial) {
  if (call.takes(arg::scale_factors)) {
    if (!call.has(arg::scale_factors)) return std::nullopt;
    return as_double(std::get<ScalarList>(call.argument(arg::scale_factors))[static_cast<std::size_t>(dim)]);
  }
  constexpr std::array names = {arg::scales_d, arg::scales_h, arg::scales_w};
  const arg name = spatial == 1 ? arg::scales : names[static_cast<std::size_t>(most_resampled - spatial + dim)];
  return call.has(name) ? std::optional(call.real(name)) : std::nullopt;
}

// How far a step in the result goes in the operand.
double step_of(int64_t from, int64_t to, bool aligned, std::optional<double> factor) {
  if (aligned) return to > 1 ? static_cast<double>(from - 1) / static_cast<double>(to - 1) : 0;
  if (factor && *factor > 0) return 1 / *factor;
  return static_cast<double>(from) / static_cast<double>(to);
}

template <Resampling form>
Result<void> resample(const KernelCall& call) {
  const TensorRef& input = call.input(first_operand);
  const TensorRef& output = call.output();
  if (output.layout->numel() == 0) return {};
  Recorder& recorder = call.recorder();
  const BoundTensor from = recorder.bind(input, *input.layout);
  const BoundTensor to = recorder.bind(output, *output.layout);
  const Layout source = volume(from.layout);
  const Layout target = volume(to.layout);
  const bool aligned = call.takes(arg::align_corners) && call.boolean(arg::align_corners);
  Dispatch dispatch;
  dispatch.source = &resample_source;
  dispatch.count = static_cast<uint64_t>(output.layout->numel());
  dispatch.reads = {from.range};
  dispatch.writes = {to.range};
  dispatch.metadata = recorder.next_word();
  for (int64_t word :
       {int64_t(form.mode), int64_t{aligned}, int64_t(output.dtype), from.layout.offset, to.layout.offset}) {
    recorder.word(word);
  }
  for (const Dims* dims : {&target.sizes, &source.strides, &target.strides}) {
    for (int64_t word : *dims) recorder.word(word);
  }
  for (int d = 2; d < source.rank(); ++d) {
    const int own = d - (most_resampled + 2 - form.spatial);
    const int64_t made = target.sizes[d];
    // As eager's kernel for small pictures, which leaves the factor out where a size stays or doubles.
    const bool is_whole =
        form.mode == Mode::Nearest && form.spatial == 2 && (made == source.sizes[d] || made == 2 * source.sizes[d]);
    const std::optional<double> factor = own < 0 || is_whole ? std::nullopt : factor_of(call, own, form.spatial);
    // A dim that is not there has one element.
    const bool is_aligned = aligned || own < 0;
    recorder.word(source.sizes[d]);
    recorder.number(std::bit_cast<uint64_t>(step_of(source.sizes[d], made, is_aligned, factor)));
  }
  recorder.add(std::move(dispatch));
  return {};
}

// grid_sampler_Nd(input, grid, interpolation_mode, padding_mode, align_corners)
template <int spatial>
Result<void> sample_grid(const KernelCall& call) {
  const TensorRef& input = call.input(arg::input);
  const TensorRef& grid = call.input(arg::grid);
  const TensorRef& output = call.output();
  if (output.layout->numel() == 0) return {};
  Recorder& recorder = call.recorder();
  const BoundTensor from = recorder.bind(input, *input.layout);
  const BoundTensor points = recorder.bind(grid, *grid.layout);
  const BoundTensor to = recorder.bind(output, *output.layout);
  const Layout source = volume(from.layout);
  const Layout target = volume(to.layout);
  Dims point_steps = points.layout.strides;
  while (point_steps.size() < most_resampled + 2) point_steps.insert(1, 0);
  Dispatch dispatch;
  dispatch.source = &grid_source;
  dispatch.count = static_cast<uint64_t>(output.layout->numel());
  dispatch.reads = {from.range, points.range};
  dispatch.writes = {to.range};
  dispatch.metadata = recorder.next_word();
  for (int64_t word : {call.integer(arg::interpolation_mode), call.integer(arg::padding_mode),
                       int64_t{call.boolean(arg::align_corners)}, int64_t{spatial}, int64_t(output.dtype),
                       from.layout.offset, points.layout.offset, to.layout.offset}) {
    recorder.word(word);
  }
  for (const Dims& dims : {target.sizes, source.strides, target.strides, point_steps}) {
    for (int64_t word : dims) recorder.word(word);
  }
  for (int d = 2; d < source.rank(); ++d) recorder.word(source.sizes[d]);
  recorder.add(std::move(dispatch));
  return {};
}

constexpr Resampling with(int spatial, Mode mode) { return {spatial, mode}; }

constexpr std::array resampling_table = {
    KernelRow{"aten.upsample_nearest1d.default", takes_any, resample<with(1, Mode::Nearest)>},
    KernelRow{"aten.upsample_nearest2d.default", takes_any, resample<with(2, Mode::Nearest)>},
    KernelRow{"aten.upsample_nearest3d.default", takes_any, resample<with(3, Mode::Nearest)>},
    KernelRow{"aten._upsample_nearest_exact1d.default", takes_any, resample<with(1, Mode::NearestExact)>},
    KernelRow{"aten._upsample_nearest_exact2d.default", takes_any, resample<with(2, Mode::NearestExact)>},
    KernelRow{"aten.upsample_linear1d.default", takes_any, resample<with(1, Mode::Linear)>},
    KernelRow{"aten.upsample_bilinear2d.default", takes_any, resample<with(2, Mode::Linear)>},
    KernelRow{"aten.upsample_trilinear3d.default", takes_any, resample<with(3, Mode::Linear)>},
    KernelRow{"aten.upsample_bicubic2d.default", takes_any, resample<with(2, Mode::Cubic)>},
    KernelRow{"aten.upsample_nearest1d.vec", takes_any, resample<with(1, Mode::Nearest)>},
    KernelRow{"aten.upsample_nearest2d.vec", takes_any, resample<with(2, Mode::Nearest)>},
    KernelRow{"aten.upsample_nearest3d.vec", takes_any, resample<with(3, Mode::Nearest)>},
    KernelRow{"aten._upsample_nearest_exact1d.vec", takes_any, resample<with(1, Mode::NearestExact)>},
    KernelRow{"aten._upsample_nearest_exact2d.vec", takes_any, resample<with(2, Mode::NearestExact)>},
    KernelRow{"aten.upsample_linear1d.vec", takes_any, resample<with(1, Mode::Linear)>},
    KernelRow{"aten.upsample_bilinear2d.vec", takes_any, resample<with(2, Mode::Linear)>},
    KernelRow{"aten.upsample_trilinear3d.vec", takes_any, resample<with(3, Mode::Linear)>},
    KernelRow{"aten.upsample_bicubic2d.vec", takes_any, resample<with(2, Mode::Cubic)>},
    KernelRow{"aten.grid_sampler_2d.default", takes_any, sample_grid<2>},
    KernelRow{"aten.grid_sampler_3d.default", takes_any, sample_grid<3>},
};

}  // namespace

std::span<const KernelRow> resampling_kernels() { return resampling_table; }

}  // namespace parallax::vulkan
