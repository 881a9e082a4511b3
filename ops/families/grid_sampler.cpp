// grid_sampler_2d and _3d: a picture read at positions that are data.
#include <algorithm>

#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/pair_sample.h"
#include "ops/resample.h"
#include "ops/sample.h"

namespace parallax {
namespace {

// What PyTorch's numbers stand for.
enum class Mode { Linear, Nearest, Cubic };
enum class Padding { Zeros, Border, Reflection };

Mode mode_of(const Call& call) { return static_cast<Mode>(call.integer(arg::interpolation_mode)); }
Padding padding_of(const Call& call) { return static_cast<Padding>(call.integer(arg::padding_mode)); }

// The input is [N, C, ...], the grid [N, ..., spatial].
template <int spatial>
Metas infer_grid_sampler(const Call& call) {
  const TensorMeta& input = call.tensor(arg::input);
  const TensorMeta& grid = call.tensor(arg::grid);
  constexpr int rank = spatial + 2;
  const Dims& in = input.layout.sizes;
  const Dims& at = grid.layout.sizes;
  if (in.size() != rank || at.size() != rank || in[0] != at[0] || at.back() != spatial) {
    return refuse("{}: an input of [{}] and a grid of [{}]", call.op().name, to_string(in), to_string(at));
  }
  if (std::find(in.begin() + 2, in.end(), 0) != in.end()) {
    return refuse("{}: an input without texels, [{}]", call.op().name, to_string(in));
  }
  if (!is_floating(input.dtype) || input.dtype != grid.dtype) {
    return refuse("{} does not take {} and {}", call.op().name, name(input.dtype), name(grid.dtype));
  }
  // Eager looks at neither number, and reads whatever memory is there.
  const int64_t modes = spatial == 2 ? 3 : 2;
  if (call.integer(arg::interpolation_mode) < 0 || call.integer(arg::interpolation_mode) >= modes ||
      call.integer(arg::padding_mode) < 0 || call.integer(arg::padding_mode) > 2) {
    return refuse("{}: mode {}, padding {}", call.op().name, call.integer(arg::interpolation_mode),
                  call.integer(arg::padding_mode));
  }
  Dims sizes{in[0], in[1]};
  for (int dim = 1; dim <= spatial; ++dim) sizes.push_back(at[dim]);
  if (!checked_numel(std::span(sizes.begin(), sizes.end()))) {
    return refuse("{}: the result is too large", call.op().name);
  }
  return fresh_result(input.dtype, contiguous_layout(sizes));
}

// A coordinate in [-1, 1] as a position in texels: ((x + 1) size - 1) / 2, or (x + 1) (size - 1) / 2 where the corners
// are the centres of texels. Exact where no form of that rounds.
Ball texel_position(const BallMath& math, const Ball& x, int64_t size, bool align_corners) {
  if (!x.decided() || !std::isfinite(x.mid)) return Ball::unknown(Undecided::Unbounded);
  const auto extent = static_cast<double>(align_corners ? size - 1 : size);
  const double shift = align_corners ? 0 : 0.5;
  const double moved = x.mid + 1;
  const double scaled = moved * extent;
  const double position = scaled / 2 - shift;
  const bool exact = x.is_exact() && moved - 1 == x.mid && math.holds(moved) && std::fma(moved, extent, -scaled) == 0 &&
                     math.holds(scaled) && math.holds(x.mid * extent) && position + shift == scaled / 2 &&
                     math.holds(position);
  if (exact) return Ball::exact(position);
  const double unit = math.profile().unit_roundoff(math.dtype()) + 0x1p-53;
  const double far = (reach(x) + 1) * extent / 2 + 1;
  Ball result = math.with_error(position, x.radius * extent / 2, 4 * unit * far);
  result.may_nan = x.may_nan;
  result.may_inf = bool(x.may_inf);
  return result;
}

// The position reflected at the ends of the texels, or at their centres, until it is inside. It moves as far as its
// operand does.
Ball reflected(const BallMath& math, const Ball& position, int64_t size, bool align_corners) {
  if (!position.decided() || !std::isfinite(position.mid)) return position;
  const double low = align_corners ? 0 : -0.5;
  const auto span = static_cast<double>(align_corners ? size - 1 : size);
  if (span == 0) return Ball::exact(0);
  const double distance = std::fabs(position.mid - low);
  const double rest = std::fmod(distance, 2 * span);
  const double inside = (rest > span ? 2 * span - rest : rest) + low;
  const bool exact = position.is_exact() && math.holds(position.mid - low) && math.holds(inside - low);
  if (exact && math.holds(inside)) return Ball::exact(inside);
  Ball result = math.with_error(inside, position.radius, 4 * math.rounding(distance + 2 * span + 1));
  result.may_nan = position.may_nan;
  result.may_inf = bool(position.may_inf);
  return result;
}

Ball clipped(const BallMath& math, const Ball& position, int64_t size) {
  return math.minimum(math.maximum(position, Ball::exact(0)), Ball::exact(static_cast<double>(size - 1)));
}

int64_t reflected_texel(int64_t texel, int64_t size, bool align_corners) {
  const int64_t period = align_corners ? 2 * (size - 1) : 2 * size;
  if (period == 0) return 0;
  const int64_t rest = ((texel % period) + period) % period;
  if (rest < size) return rest;
  return align_corners ? period - rest : period - 1 - rest;
}

// Which texel stands for one that may lie outside; -1 for none.
int64_t kept_inside(int64_t texel, int64_t size, Padding padding, bool align_corners) {
  if (texel >= 0 && texel < size) return texel;
  switch (padding) {
    case Padding::Zeros:
      return -1;
    case Padding::Border:
      return std::clamp<int64_t>(texel, 0, size - 1);
    case Padding::Reflection:
      return reflected_texel(texel, size, align_corners);
  }
  return -1;
}

// The texels that may be nearest: both at a tie, and no more than two.
std::optional<Taps1d> nearest_taps(const Ball& position) {
  const bool plain = position.decided() && !position.may_nan && !position.may_inf && std::isfinite(position.mid);
  if (!plain || std::fabs(position.mid) > 0x1p52) return std::nullopt;
  const double first = std::ceil(position.low() - 0.5);
  const double last = std::floor(position.high() + 0.5);
  if (last - first > 1) return std::nullopt;
  Taps1d taps;
  for (double texel = first; texel <= last; ++texel) taps.push_back({static_cast<int64_t>(texel), Ball::exact(1)});
  return taps;
}

// The taps of one coordinate along a dim.
std::optional<Taps1d> taps_of(const BallMath& math, const Call& call, const Ball& x, int64_t size) {
  const bool align_corners = call.boolean(arg::align_corners);
  const Mode mode = mode_of(call);
  const Padding padding = padding_of(call);
  Ball position = texel_position(math, x, size, align_corners);
  if (mode != Mode::Cubic && padding == Padding::Reflection) position = reflected(math, position, size, align_corners);
  if (mode != Mode::Cubic && padding != Padding::Zeros) position = clipped(math, position, size);
  std::optional<Taps1d> taps = mode == Mode::Cubic    ? cubic_taps(math, position)
                               : mode == Mode::Linear ? linear_taps(math, position)
                                                      : nearest_taps(position);
  // Cubic convolution moves each texel inside; for the others the position is, and what lies outside has no weight.
  const Padding of_texels = mode == Mode::Cubic ? padding : Padding::Zeros;
  if (taps) {
    for (Tap& tap : *taps) tap.texel = kept_inside(tap.texel, size, of_texels, align_corners);
  }
  return taps;
}

// The hull of all texels that may be nearest; what lies outside is 0.
template <class TexelAt>
Ball nearest_value(std::span<const Taps1d> taps, TexelAt&& texel_at) {
  std::optional<Ball> value;
  std::vector<std::size_t> at(taps.size(), 0);
  std::vector<int64_t> texels(taps.size());
  while (true) {
    for (std::size_t dim = 0; dim < taps.size(); ++dim) texels[dim] = taps[dim][at[dim]].texel;
    const Factor* texel = texel_at(texels);
    const Ball here = texel ? texel->ball : Ball::exact(0);
    value = value ? hull(*value, here) : here;
    std::size_t dim = taps.size();
    while (dim > 0 && ++at[dim - 1] == taps[dim - 1].size()) at[--dim] = 0;
    if (dim == 0) return *value;
  }
}

template <int spatial>
Result<void> reference_grid_sampler(const ReferenceCall& call) {
  const BallView& input = call.input(arg::input);
  const BallView& grid = call.input(arg::grid);
  const BallView& output = call.output();
  // Eager works on halves as halves: positions, weights and sums.
  const CallProfile profile = call.profile().with(Form::AccumulateInHalf);
  const BallMath math(output.dtype, profile);
  const std::vector<Factor> texels = factors_of(input, input.layout);
  const std::vector<int64_t> coordinates = elements_of(grid.layout);
  const std::vector<int64_t> to = elements_of(output.layout);
  const Dims& in = input.layout.sizes;
  int64_t places = 1;
  int64_t picture = 1;
  for (int dim = 2; dim < spatial + 2; ++dim) {
    places *= output.layout.sizes[dim];
    picture *= in[dim];
  }
  for (int64_t batch = 0; batch < in[0]; ++batch) {
    for (int64_t place = 0; place < places; ++place) {
      std::vector<Taps1d> taps;
      for (int dim = 0; dim < spatial; ++dim) {
        // The last dim's coordinate comes first.
        const auto at = static_cast<std::size_t>((batch * places + place) * spatial + spatial - 1 - dim);
        if (auto known = taps_of(math, call, grid.ball(coordinates[at]), in[dim + 2]))
          taps.push_back(std::move(*known));
      }
      for (int64_t channel = 0; channel < in[1]; ++channel) {
        const int64_t first = (batch * in[1] + channel) * picture;
        const auto texel_at = [&](const std::vector<int64_t>& index) -> const Factor* {
          int64_t texel = 0;
          for (std::size_t dim = 0; dim < index.size(); ++dim) {
            if (index[dim] < 0) return nullptr;
            texel = texel * in[static_cast<int>(dim) + 2] + index[dim];
          }
          return &texels[static_cast<std::size_t>(first + texel)];
        };
        Ball& result = output.ball(to[static_cast<std::size_t>((batch * in[1] + channel) * places + place)]);
        if (taps.size() != spatial) {
          result = Ball::unknown(Undecided::Unbounded);
        } else {
          result =
              mode_of(call) == Mode::Nearest ? nearest_value(taps, texel_at) : interpolate(math, math, taps, texel_at);
        }
      }
    }
  }
  return {};
}

constexpr int64_t most_elements = 256;

template <int spatial>
std::optional<std::vector<Argument>> sample_grid_sampler(const Op&, SampleContext& context) {
  const auto pair = pick_pair(context, [](const TensorMeta& input, const TensorMeta& grid) {
    const Dims& in = input.layout.sizes;
    const Dims& at = grid.layout.sizes;
    return in.size() == spatial + 2 && at.size() == spatial + 2 && in[0] == at[0] && at.back() == spatial &&
           is_floating(input.dtype) && input.dtype == grid.dtype && input.layout.numel() > 0 &&
           grid.layout.numel() / spatial * in[1] <= most_elements;
  });
  if (!pair) return std::nullopt;
  Choices& choices = context.choices();
  return std::vector<Argument>{pair->first, pair->second, Scalar(choices.between(0, spatial == 2 ? 2 : 1)),
                               Scalar(choices.between(0, 2)), Scalar(choices.chance(50))};
}

template <int spatial>
OpDef grid_sampler(std::string_view schema) {
  return {.schema = schema,
          .infer = infer_grid_sampler<spatial>,
          .reference = reference_grid_sampler<spatial>,
          .sample = sample_grid_sampler<spatial>};
}

}  // namespace

std::vector<OpDef> grid_sampler_family() {
  return {
      grid_sampler<2>(
          "grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> "
          "Tensor"),
      grid_sampler<3>(
          "grid_sampler_3d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> "
          "Tensor"),
  };
}

}  // namespace parallax
