// Resampling: which texels a position between them reads, and with which weights.
//
// Positions are computed in the dtype's arithmetic from a scale that is itself rounded, so they are balls, and a
// position near a texel may lie on either side of it. Weights are continuous functions of the position: every texel
// that some position of the ball reads is a tap, and its weight the image of the ball.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ops/ball_dot.h"
#include "ops/ball_functions.h"

namespace parallax {

struct Tap {
  int64_t texel = 0;  // may lie outside
  Ball weight;
};
using Taps1d = std::vector<Tap>;

// The taps of linear interpolation and of cubic convolution (a = -0.75, as in eager). Nothing where the position is not
// known well enough to name a few texels.
std::optional<Taps1d> linear_taps(const BallMath& math, const Ball& position);
std::optional<Taps1d> cubic_taps(const BallMath& math, const Ball& position);

// The taps as an implementation has them that keeps its weights, and one minus each, in the dtype of `math`.
void store_weights(const BallMath& math, Taps1d& taps);

// The texels that floor gives, for every position of the ball; at most two, or nothing.
std::optional<std::vector<int64_t>> floor_texels(const Ball& position);

// One dim of an upsampling: the position in the input of place `index` in the output.
struct ResampledDim {
  int64_t input = 1;
  int64_t output = 1;
  bool align_corners = false;
  std::optional<double> scale;  // what the caller says that output is larger by; a scale of 0 or less is none
  bool is_alone = false;        // the one dim that is resampled

  // For the smooth kernels; not clamped.
  Ball position(const BallMath& math, int64_t index) const;
  // The same for linear interpolation, where eager copies a dim whose size does not change, whatever its scale says.
  Ball linear_position(const BallMath& math, int64_t index) const;
  // For the nearest texel: from the edge of the output's texel, or from its centre. Where a picture keeps its size or
  // doubles it, eager's kernels for small ones and for channels_last leave the scale out, and its others do not.
  Ball nearest_position(const BallMath& math, int64_t index, bool from_centre) const;

 private:
  // The input's extent for one step in the output, as a fraction.
  Ball place(const BallMath& math, double numerator, double denominator, double steps, double shift) const;
};

// The interpolated value. `texel(indices)` gives the factor at one texel a dim, or null for a value of 0.
template <class TexelAt>
Ball interpolate(const BallMath& math, const BallMath& weight_math, std::span<const Taps1d> taps, TexelAt&& texel_at) {
  BallDot dot(math);
  double far = 0;
  std::vector<std::size_t> at(taps.size(), 0);
  std::vector<int64_t> texels(taps.size());
  while (true) {
    Ball weight = Ball::exact(1);
    for (std::size_t dim = 0; dim < taps.size(); ++dim) {
      const Tap& tap = taps[dim][at[dim]];
      texels[dim] = tap.texel;
      weight = dim == 0 ? tap.weight : weight_math.mul(weight, tap.weight);
    }
    if (const Factor* texel = texel_at(std::as_const(texels))) {
      const Factor factor(weight);
      // One of perhaps no weight may be read or not.
      if (!factor.zero && !texel->plain && contains_zero(weight)) return Ball::unknown(Undecided::Unbounded);
      dot.add_padding(*texel);
      if (!factor.zero) dot.add(factor, *texel);
      far += reach(texel->ball);
    }
    std::size_t dim = taps.size();
    while (dim > 0 && ++at[dim - 1] == taps[dim - 1].size()) at[--dim] = 0;
    if (dim == 0) break;
  }
  Ball result = dot.result();
  // A step a + t (b - a) rounds its difference, product and sum, each of which is at most `far` but for the roundings
  // before it, which a fourth covers. The steps of later dims weigh what they are given by t and 1 - t.
  // A line may go as a volume: eight products, a border's texel read in halves, whose seven sums eight roundings cover.
  if (math.allows(Form::InterpolationBySteps) && result.decided()) {
    const auto dims = static_cast<double>(std::max<std::size_t>(taps.size(), 2));
    result = widened(math, result, 4 * dims * math.rounding(far));
  }
  // a + t (b - a) meets NaN and infinity where (1 - t) a + t b does not; add_padding says so of single texels.
  if (result.decided() && far >= info(math.dtype()).max_finite) {
    result.may_nan = true;
    result.may_inf = result.may_inf || std::isfinite(result.mid);
  }
  return result;
}

}  // namespace parallax
