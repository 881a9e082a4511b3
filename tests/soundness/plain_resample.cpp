// Upsampling and grid sampling: pictures read between their texels.
#include <algorithm>
#include <array>
#include <optional>

#include "tests/soundness/plain_box.h"
#include "tests/soundness/plain_call.h"

namespace parallax {
namespace {

using Results = std::vector<PlainTensor>;

// What a place reads along one dim: texels, -1 for one outside that counts as 0, and their weights.
struct Taps {
  std::vector<int64_t> texels;
  PlainTensor weights;
};

// The place of a value in a picture, and what it is there; dims from `dim` on, the texels of the ones before chosen.
double nested(const Perturbed& p, const std::vector<Taps>& taps, const Box& picture, const double* elements,
              std::vector<int64_t>& at, std::size_t dim) {
  if (dim == taps.size()) {
    const int64_t place = picture.place(at);
    return place < 0 ? 0 : elements[place];
  }
  PlainTensor values;
  for (const int64_t texel : taps[dim].texels) {
    at[dim] = texel;
    values.push_back(nested(p, taps, picture, elements, at, dim + 1));
  }
  const Arithmetic& a = p.accumulator();
  if (p.takes(Form::InterpolationBySteps) && values.size() == 2) {
    return a.fma(taps[dim].weights[1], a.sub(values[1], values[0]), values[0]);
  }
  return a.dot(taps[dim].weights, values);
}

// The taps' weighted sum: dim after dim, or in one sum whose weights are products.
double weighted(const Perturbed& p, const std::vector<Taps>& taps, const Box& picture, const double* elements) {
  const Arithmetic& a = p.accumulator();
  std::vector<int64_t> at(taps.size());
  if (!p.other_form() || p.takes(Form::InterpolationBySteps)) return nested(p, taps, picture, elements, at, 0);
  std::vector<int64_t> counts;
  for (const Taps& dim : taps) counts.push_back(static_cast<int64_t>(dim.texels.size()));
  const Box choices(counts);
  PlainTensor weights;
  PlainTensor values;
  for (int64_t i = 0; i < choices.count(); ++i) {
    const std::vector<int64_t> chosen = choices.coordinates(i);
    double weight = 1;
    for (std::size_t dim = 0; dim < taps.size(); ++dim) {
      const auto tap = static_cast<std::size_t>(chosen[dim]);
      at[dim] = taps[dim].texels[tap];
      weight = p.index().mul(weight, taps[dim].weights[tap]);
    }
    const int64_t place = picture.place(at);
    if (place < 0) continue;
    weights.push_back(weight);
    values.push_back(elements[place]);
  }
  return a.dot(weights, values);
}

// One dim of an upsampling.
struct Resampled {
  double in = 0;
  double out = 0;
  bool align_corners = false;
  std::optional<double> scale;
};

// The position in the input of place o in the output, from `shift` in its texel.
double position(const Arithmetic& a, const Resampled& dim, int64_t o, double shift) {
  const auto place = static_cast<double>(o);
  if (dim.align_corners) return dim.out > 1 ? a.mul(a.div(dim.in - 1, dim.out - 1), place) : 0;
  const double step = dim.scale ? a.div(1, *dim.scale) : a.div(dim.in, dim.out);
  return a.mul(step, place + shift);
}

// A weight and its rest to 1, as the sums have them.
PlainTensor pair_of_weights(const Perturbed& p, double second) {
  const Arithmetic& a = p.accumulator();
  const double stored = a.round(second);
  return {a.round(p.index().sub(1, p.other_form() ? second : stored)), stored};
}

// Keys' cubic convolution with a = -0.75 at the four texels around a place `t` behind the second.
PlainTensor cubic_weights(const Perturbed& p, double t) {
  const Arithmetic& a = p.index();
  constexpr double k = -0.75;
  const auto near = [&](double x) { return a.fma(a.mul(a.sub(a.mul(k + 2, x), k + 3), x), x, 1); };
  const auto far = [&](double x) { return a.sub(a.mul(a.add(a.mul(a.sub(a.mul(k, x), 5 * k), x), 8 * k), x), 4 * k); };
  PlainTensor weights{far(a.add(t, 1)), near(t), near(a.sub(1, t)), far(a.sub(2, t))};
  for (double& weight : weights) weight = p.accumulator().round(weight);
  return weights;
}

using TapsAt = Taps (*)(const Perturbed& p, const Resampled& dim, int64_t o);

Taps linear(const Perturbed& p, const Resampled& dim, int64_t o) {
  const Arithmetic& a = p.index();
  const double from_edge = position(a, dim, o, 0.5);
  const double at = dim.align_corners ? position(a, dim, o, 0) : std::max(a.sub(from_edge, 0.5), 0.0);
  const double first = std::min(std::floor(at), dim.in - 1);
  const double second = std::min(first + 1, dim.in - 1);
  return {{static_cast<int64_t>(first), static_cast<int64_t>(second)},
          pair_of_weights(p, std::min(a.sub(at, first), 1.0))};
}

Taps cubic(const Perturbed& p, const Resampled& dim, int64_t o) {
  const Arithmetic& a = p.index();
  const double at = dim.align_corners ? position(a, dim, o, 0) : a.sub(position(a, dim, o, 0.5), 0.5);
  const double first = std::floor(at);
  Taps taps{{}, cubic_weights(p, a.sub(at, first))};
  for (int texel = -1; texel <= 2; ++texel) {
    taps.texels.push_back(static_cast<int64_t>(std::clamp(first + texel, 0.0, dim.in - 1)));
  }
  return taps;
}

Taps nearest_of(const Resampled& dim, double at) {
  return {{static_cast<int64_t>(std::min(std::floor(at), dim.in - 1))}, {1}};
}
// From the edge of the texel; sizes that are equal or doubled need no scale.
Taps nearest(const Perturbed& p, const Resampled& dim, int64_t o) {
  if (dim.in == dim.out) return nearest_of(dim, static_cast<double>(o));
  if (2 * dim.in == dim.out) return nearest_of(dim, static_cast<double>(o / 2));
  return nearest_of(dim, position(p.index(), dim, o, 0));
}
// From its centre.
Taps nearest_exact(const Perturbed& p, const Resampled& dim, int64_t o) {
  return nearest_of(dim, position(p.index(), dim, o, 0.5));
}

// The name of one dim's scale where these are no list.
arg scale_name(int spatial, int dim) {
  if (spatial == 1) return arg::scales;
  return std::array{arg::scales_w, arg::scales_h, arg::scales_d}[static_cast<std::size_t>(spatial - 1 - dim)];
}

// There is a scale for each dim or, in the overloads "vec", a list.
template <int spatial, TapsAt taps_at>
void upsample(Perturbed& p, const PlainCall& call, Results& results) {
  const arg input = call.takes(arg::input) ? arg::input : arg::self;
  const Box picture(call.sizes(input), 2);
  const Box output(call.result_sizes(), 2);
  std::vector<Resampled> dims;
  for (int d = 0; d < spatial; ++d) {
    Resampled dim;
    dim.in = static_cast<double>(picture.size(d));
    dim.out = static_cast<double>(output.size(d));
    dim.align_corners = call.takes(arg::align_corners) && call.boolean(arg::align_corners);
    if (call.has(arg::scale_factors)) {
      const auto& scales = std::get<ScalarList>(call.argument(arg::scale_factors));
      dim.scale = as_double(scales[static_cast<std::size_t>(d)]);
    } else if (call.has(scale_name(spatial, d))) {
      dim.scale = call.real(scale_name(spatial, d));
    }
    dims.push_back(dim);
  }
  for (std::size_t i = 0; i < results[0].size(); ++i) {
    const auto place = static_cast<int64_t>(i) % output.count();
    const std::vector<int64_t> o = output.coordinates(place);
    std::vector<Taps> taps;
    for (std::size_t d = 0; d < dims.size(); ++d) taps.push_back(taps_at(p, dims[d], o[d]));
    const double* elements = call.elements(input).data() + static_cast<int64_t>(i) / output.count() * picture.count();
    results[0][i] = weighted(p, taps, picture, elements);
  }
}

// Grid sampling.
enum Kernel : int64_t { Linear, Nearest, Cubic };
enum Padding : int64_t { Zeros, Border, Reflection };

// Folds a position, or a texel, back at the picture's ends or at the centres of its last texels.
double folded(const Arithmetic& a, double x, double size, bool align_corners) {
  const double low = align_corners ? 0 : -0.5;
  const double span = align_corners ? size - 1 : size;
  if (span == 0) return 0;
  const double rest = std::fmod(std::fabs(a.sub(x, low)), 2 * span);
  return a.add(rest > span ? a.sub(2 * span, rest) : rest, low);
}

double padded(const Arithmetic& a, double x, double size, int64_t padding, bool align_corners) {
  if (padding == Reflection) x = folded(a, x, size, align_corners);
  return padding == Zeros ? x : std::clamp(x, 0.0, size - 1);
}

Taps grid_taps(const Perturbed& p, const PlainCall& call, double x, double size) {
  const Arithmetic& a = p.accumulator();
  const int64_t kernel = call.integer(arg::interpolation_mode);
  const int64_t padding = call.integer(arg::padding_mode);
  const bool align = call.boolean(arg::align_corners);
  const double extent = align ? size - 1 : size;
  const double moved = a.add(x, 1);
  double at = p.other_form() ? a.mul(moved, extent / 2) : a.mul(moved, extent);
  if (p.other_form()) {
    at = align ? at : a.sub(at, 0.5);
  } else {
    at = align ? at / 2 : a.sub(at, 1) / 2;
  }
  if (kernel != Cubic) at = padded(a, at, size, padding, align);
  if (kernel == Nearest) return {{static_cast<int64_t>(std::nearbyint(at))}, {1}};
  const double first = std::floor(at);
  const double t = a.sub(at, first);
  if (kernel == Linear) {
    return {{static_cast<int64_t>(first), static_cast<int64_t>(first) + 1}, pair_of_weights(p, t)};
  }
  Taps taps{{}, cubic_weights(p, t)};
  for (int texel = -1; texel <= 2; ++texel) {
    taps.texels.push_back(static_cast<int64_t>(padded(a, first + texel, size, padding, align)));
  }
  return taps;
}

// The last dim's coordinate comes first in the grid.
template <int spatial>
void grid_sampler(Perturbed& p, const PlainCall& call, Results& results) {
  const Box picture(call.sizes(arg::input), 2);
  const Box output(call.result_sizes(), 2);
  const int64_t channels = call.sizes(arg::input)[1];
  for (std::size_t i = 0; i < results[0].size(); ++i) {
    const int64_t plane = static_cast<int64_t>(i) / output.count();
    const int64_t sample = plane / channels * output.count() + static_cast<int64_t>(i) % output.count();
    std::vector<Taps> taps;
    for (int dim = 0; dim < spatial; ++dim) {
      const auto coordinate = static_cast<std::size_t>(sample * spatial + spatial - 1 - dim);
      taps.push_back(grid_taps(p, call, call.elements(arg::grid)[coordinate], static_cast<double>(picture.size(dim))));
    }
    results[0][i] = weighted(p, taps, picture, call.elements(arg::input).data() + plane * picture.count());
  }
}

PlainOp upsampling(std::string_view name, PlainOp::Whole function, bool carries_halves = false) {
  return {.family = "upsample", .name = name, .function = function, .carries_halves = carries_halves};
}

}  // namespace

// Eager keeps the weights and sums of halves as halves in some of these.
std::vector<PlainOp> plain_resample_ops() {
  return {
      upsampling("aten.upsample_nearest1d.default", upsample<1, nearest>),
      upsampling("aten.upsample_nearest2d.default", upsample<2, nearest>),
      upsampling("aten.upsample_nearest3d.default", upsample<3, nearest>),
      upsampling("aten._upsample_nearest_exact1d.default", upsample<1, nearest_exact>),
      upsampling("aten._upsample_nearest_exact2d.default", upsample<2, nearest_exact>),
      upsampling("aten.upsample_linear1d.default", upsample<1, linear>, true),
      upsampling("aten.upsample_bilinear2d.default", upsample<2, linear>),
      upsampling("aten.upsample_trilinear3d.default", upsample<3, linear>, true),
      upsampling("aten.upsample_bicubic2d.default", upsample<2, cubic>, true),
      upsampling("aten.upsample_nearest1d.vec", upsample<1, nearest>),
      upsampling("aten.upsample_nearest2d.vec", upsample<2, nearest>),
      upsampling("aten.upsample_nearest3d.vec", upsample<3, nearest>),
      upsampling("aten._upsample_nearest_exact1d.vec", upsample<1, nearest_exact>),
      upsampling("aten._upsample_nearest_exact2d.vec", upsample<2, nearest_exact>),
      upsampling("aten.upsample_linear1d.vec", upsample<1, linear>, true),
      upsampling("aten.upsample_bilinear2d.vec", upsample<2, linear>),
      upsampling("aten.upsample_trilinear3d.vec", upsample<3, linear>, true),
      upsampling("aten.upsample_bicubic2d.vec", upsample<2, cubic>, true),
      {.family = "grid sampler",
       .name = "aten.grid_sampler_2d.default",
       .function = grid_sampler<2>,
       .carries_halves = true},
      {.family = "grid sampler",
       .name = "aten.grid_sampler_3d.default",
       .function = grid_sampler<3>,
       .carries_halves = true},
  };
}

}  // namespace parallax
