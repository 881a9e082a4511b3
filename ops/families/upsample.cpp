// Upsampling (and down): nearest, linear and cubic, to a size or by a factor.
#include <algorithm>
#include <array>

#include "ops/copying.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/fresh_layout.h"
#include "ops/nearest_alternatives.h"
#include "ops/resample.h"
#include "ops/sample.h"

namespace parallax {
namespace {

enum class Kernel { Nearest, NearestExact, Linear, Cubic };

// The overloads of one op: with a scale for each dim, or (.vec) with a list of them that stands for the size.
struct Upsampling {
  Kernel kernel;
  int spatial;
  bool takes_u8;
  // Whether eager keeps the weights of halves, and all that is computed with them, as halves (measured).
  bool halves_weights = false;

  constexpr bool smooth() const { return kernel == Kernel::Linear || kernel == Kernel::Cubic; }
};

constexpr Upsampling nearest(int spatial) { return {Kernel::Nearest, spatial, true}; }
constexpr Upsampling nearest_exact(int spatial) { return {Kernel::NearestExact, spatial, true}; }
constexpr Upsampling nearest_1d = nearest(1);
constexpr Upsampling nearest_2d = nearest(2);
constexpr Upsampling nearest_3d = nearest(3);
constexpr Upsampling nearest_exact_1d = nearest_exact(1);
constexpr Upsampling nearest_exact_2d = nearest_exact(2);
constexpr Upsampling linear_1d = {Kernel::Linear, 1, false, true};
constexpr Upsampling linear_2d = {Kernel::Linear, 2, true};
constexpr Upsampling linear_3d = {Kernel::Linear, 3, false, true};
constexpr Upsampling cubic_2d = {Kernel::Cubic, 2, true, true};

constexpr int64_t largest_extent = int64_t{1} << 30;

// Whether the scales are a list that stands for the size.
bool is_listed(const Op& op) { return op.schema.index_of(arg::scale_factors) >= 0; }

arg input_name(const Call& call) { return is_listed(call.op()) ? arg::input : arg::self; }

// The name of one dim's scale where these are no list.
arg scale_name(int spatial, int dim) {
  constexpr std::array names = {arg::scales_d, arg::scales_h, arg::scales_w};
  return spatial == 1 ? arg::scales : names[names.size() - static_cast<std::size_t>(spatial - dim)];
}

// The size of one output dim, and the scale that the caller gives for it.
Result<ResampledDim> listed_dim(const Call& call, const Upsampling& upsampling, int dim) {
  if (call.has(arg::output_size) == call.has(arg::scale_factors)) {
    return refuse("{}: one of output_size and scale_factors is needed", call.op().name);
  }
  ResampledDim result;
  result.input = call.tensor(input_name(call)).layout.sizes[dim + 2];
  const auto at = static_cast<std::size_t>(dim);
  const auto wanted = static_cast<std::size_t>(upsampling.spatial);
  if (call.has(arg::output_size)) {
    const IntList& sizes = call.integers(arg::output_size);
    if (sizes.size() != wanted) return refuse("{}: {} sizes", call.op().name, sizes.size());
    result.output = sizes[at];
    return result;
  }
  const auto* scales = std::get_if<ScalarList>(&call.argument(arg::scale_factors));
  if (scales == nullptr || scales->size() != wanted) return refuse("{}: {} scales are wanted", call.op().name, wanted);
  result.scale = as_double((*scales)[at]);
  const double size = static_cast<double>(result.input) * *result.scale;
  // Not a NaN either.
  if (!(size < static_cast<double>(largest_extent))) return refuse("{}: a scale of {}", call.op().name, *result.scale);
  result.output = size < 1 ? 0 : static_cast<int64_t>(size);
  return result;
}

Result<ResampledDim> sized_dim(const Call& call, const Upsampling& upsampling, int dim) {
  const IntList& sizes = call.integers(arg::output_size);
  if (sizes.size() != static_cast<std::size_t>(upsampling.spatial)) {
    return refuse("{}: {} sizes", call.op().name, sizes.size());
  }
  ResampledDim result;
  result.input = call.tensor(input_name(call)).layout.sizes[dim + 2];
  result.output = sizes[static_cast<std::size_t>(dim)];
  const arg scale = scale_name(upsampling.spatial, dim);
  if (call.has(scale)) result.scale = call.real(scale);
  return result;
}

Result<std::vector<ResampledDim>> resampled_dims(const Call& call, const Upsampling& upsampling) {
  const Layout& input = call.tensor(input_name(call)).layout;
  if (input.rank() != upsampling.spatial + 2) return refuse("{}: an input of {} dims", call.op().name, input.rank());
  if (input.sizes[1] == 0) return refuse("{}: an input without channels", call.op().name);
  std::vector<ResampledDim> dims;
  for (int i = 0; i < upsampling.spatial; ++i) {
    TRY(ResampledDim dim, is_listed(call.op()) ? listed_dim(call, upsampling, i) : sized_dim(call, upsampling, i));
    if (dim.input < 1 || dim.output < 1 || dim.input > largest_extent || dim.output > largest_extent) {
      return refuse("{}: from a size of {} to {}", call.op().name, dim.input, dim.output);
    }
    dim.is_alone = upsampling.spatial == 1;
    dim.align_corners = call.takes(arg::align_corners) && call.boolean(arg::align_corners);
    dims.push_back(dim);
  }
  return dims;
}

template <const Upsampling& upsampling>
Metas infer_upsample(const Call& call) {
  const TensorMeta& self = call.tensor(input_name(call));
  TRY(const std::vector<ResampledDim> dims, resampled_dims(call, upsampling));
  if (!is_floating(self.dtype) && !(self.dtype == DType::U8 && upsampling.takes_u8)) {
    return refuse("{} does not take {}", call.op().name, name(self.dtype));
  }
  Dims sizes{self.layout.sizes[0], self.layout.sizes[1]};
  for (const ResampledDim& dim : dims) sizes.push_back(dim.output);
  if (!checked_numel(std::span(sizes.begin(), sizes.end()))) {
    return refuse("{}: the result is too large", call.op().name);
  }
  // What has one spatial dim is contiguous; suggested_format says so too.
  TRY(const Layout layout, fresh_layout(contiguous_layout(sizes), suggested_format(self.layout)));
  return fresh_result(self.dtype, layout);
}

// What one place of an output dim reads: nothing where that is not known.
using DimTaps = std::vector<std::optional<Taps1d>>;

// The taps of all places of one dim, kept inside the input: what lies outside reads the border.
DimTaps taps_of(const BallMath& math, const Upsampling& upsampling, const ResampledDim& dim) {
  DimTaps all;
  for (int64_t i = 0; i < dim.output; ++i) {
    std::optional<Taps1d> taps;
    if (upsampling.kernel == Kernel::Cubic) {
      taps = cubic_taps(math, dim.position(math, i));
    } else if (upsampling.kernel == Kernel::Linear) {
      // Beyond the last texel both taps read it, and their weights and products round: eager clamps no position there.
      taps = linear_taps(math, math.relu(dim.linear_position(math, i)));
    } else if (const auto texels =
                   floor_texels(dim.nearest_position(math, i, upsampling.kernel == Kernel::NearestExact))) {
      taps.emplace();
      for (const int64_t texel : *texels) taps->push_back({texel, Ball::exact(1)});
    }
    if (taps) {
      for (Tap& tap : *taps) tap.texel = std::clamp<int64_t>(tap.texel, 0, dim.input - 1);
    }
    all.push_back(std::move(taps));
  }
  return all;
}

// An integer result is known where all that may be read is one value: implementations differ in how many bits their
// weights have and in when they round. One texel alone is copied, with its interval where it has one.
IntegerBall common_value(const std::vector<IntegerBall>& texels) {
  const IntegerBall& first = texels.front();
  if (texels.size() == 1) return first;
  for (const IntegerBall& texel : texels) {
    if (!texel.decided()) return {0, texel.undecided};
    if (texel.value != first.value) return {0, Undecided::InexactToInteger};
  }
  return first;
}

// Calls `visit(texel)` with the row-major place in a picture of each texel that a position reads with some weight.
template <class Visit>
void for_each_texel(std::span<const Taps1d> taps, const std::vector<ResampledDim>& dims, Visit&& visit) {
  Dims counts;
  for (const Taps1d& dim : taps) counts.push_back(static_cast<int64_t>(dim.size()));
  for_each_index(counts, [&](const Dims& index) {
    int64_t texel = 0;
    for (int dim = 0; dim < index.size(); ++dim) {
      const auto i = static_cast<std::size_t>(dim);
      const Tap& tap = taps[i][static_cast<std::size_t>(index[dim])];
      if (tap.weight.mid == 0 && tap.weight.radius == 0) return;
      texel = texel * dims[i].input + tap.texel;
    }
    visit(texel);
  });
}

// What a call reads, place by place.
struct Reads {
  std::vector<ResampledDim> dims;
  std::vector<DimTaps> taps;  // by dim and place
};

// Eager computes positions and weights in f32 but for f64, and those of the nearest texel in f32 always.
BallMath math_of_weights(const BallView& output, const Upsampling& upsampling, const CallProfile& profile) {
  const bool wide = output.dtype == DType::F64 && upsampling.smooth();
  return {wide ? DType::F64 : DType::F32, profile};
}

Result<Reads> reads_of(const Call& call, const Upsampling& upsampling, const BallMath& weight_math) {
  Reads reads;
  TRY(reads.dims, resampled_dims(call, upsampling));
  for (const ResampledDim& dim : reads.dims) reads.taps.push_back(taps_of(weight_math, upsampling, dim));
  return reads;
}

// Calls `visit(element, first, taps)` for each element of the output: `first` is the row-major place of the first texel
// of its picture; `taps` has one list for each dim, or fewer where one is not known.
template <class Visit>
void for_each_place(const Reads& reads, const BallView& output, Visit&& visit) {
  Dims places;
  int64_t picture_size = 1;
  for (const ResampledDim& dim : reads.dims) {
    places.push_back(dim.output);
    picture_size *= dim.input;
  }
  const std::vector<int64_t> to = elements_of(output.layout);
  const int64_t pictures = output.layout.sizes[0] * output.layout.sizes[1];
  std::size_t next = 0;
  for (int64_t picture = 0; picture < pictures; ++picture) {
    for_each_index(places, [&](const Dims& place) {
      std::vector<Taps1d> here;
      for (int dim = 0; dim < place.size(); ++dim) {
        const auto& dim_taps = reads.taps[static_cast<std::size_t>(dim)][static_cast<std::size_t>(place[dim])];
        if (dim_taps) here.push_back(*dim_taps);
      }
      visit(to[next++], picture * picture_size, std::as_const(here));
    });
  }
}

template <const Upsampling& upsampling>
Result<void> reference_upsample(const ReferenceCall& call) {
  const BallView& input = call.input(input_name(call));
  const BallView& output = call.output();
  const bool floating = output.floating();
  const CallProfile profile = upsampling.halves_weights ? call.profile().with(Form::AccumulateInHalf) : call.profile();
  const BallMath math(floating ? output.dtype : DType::F32, profile);
  const BallMath weight_math = math_of_weights(output, upsampling, profile);
  TRY(Reads reads, reads_of(call, upsampling, weight_math));
  if (profile.allows(Form::AccumulateInHalf) && floating && size_of(output.dtype) == 2) {
    for (DimTaps& places : reads.taps) {
      for (std::optional<Taps1d>& place : places) {
        if (place) store_weights(math, *place);
      }
    }
  }
  const std::vector<ResampledDim>& dims = reads.dims;
  const std::vector<int64_t> from = elements_of(input.layout);
  const std::vector<Factor> factors = floating ? factors_of(input, input.layout) : std::vector<Factor>();
  for_each_place(reads, output, [&](int64_t element, int64_t first, const std::vector<Taps1d>& here) {
    const bool known = here.size() == dims.size();
    if (!floating) {
      std::vector<IntegerBall> texels;
      if (known) {
        for_each_texel(here, dims, [&](int64_t texel) {
          texels.push_back(input.integer(from[static_cast<std::size_t>(first + texel)]));
        });
      }
      output.integer(element) = known ? common_value(texels) : IntegerBall{0, Undecided::InexactToInteger};
    } else if (!known) {
      output.ball(element) = Ball::unknown(Undecided::Unbounded);
    } else if (!upsampling.smooth()) {
      std::vector<Ball> texels;
      for_each_texel(here, dims, [&](int64_t texel) {
        texels.push_back(input.ball(from[static_cast<std::size_t>(first + texel)]));
      });
      output.ball(element) = hull_of(texels);
    } else {
      output.ball(element) = interpolate(math, weight_math, here, [&](const std::vector<int64_t>& texel) {
        int64_t at = first;
        int64_t inside = 0;
        for (std::size_t dim = 0; dim < dims.size(); ++dim) inside = inside * dims[dim].input + texel[dim];
        at += inside;
        return &factors[static_cast<std::size_t>(at)];
      });
    }
  });
  return {};
}

// A generated picture grows no larger than this in one dim.
constexpr int64_t most_places = 6;
constexpr int64_t most_elements = 256;

template <const Upsampling& upsampling>
std::optional<std::vector<Argument>> sample_upsample(const Op& op, SampleContext& context) {
  const auto self = context.pick([](const Candidate&, const TensorMeta& meta) {
    const bool takes = is_floating(meta.dtype) || (meta.dtype == DType::U8 && upsampling.takes_u8);
    return takes && meta.layout.rank() == upsampling.spatial + 2 && meta.layout.numel() > 0;
  });
  if (!self) return std::nullopt;
  Choices& choices = context.choices();
  const Layout& input = context.meta(*self).layout;
  static constexpr std::array factors = {2.0, 1.5, 0.7, 1.0};
  const bool by_scale = choices.chance(is_listed(op) ? 50 : 20);
  IntList sizes;
  ScalarList scales;
  int64_t elements = input.sizes[0] * input.sizes[1];
  for (int dim = 0; dim < upsampling.spatial; ++dim) {
    const int64_t size = input.sizes[dim + 2];
    double factor = choices.pick(factors);
    if (static_cast<double>(size) * factor < 1) factor = 1;
    scales.emplace_back(factor);
    sizes.push_back(by_scale ? static_cast<int64_t>(static_cast<double>(size) * factor)
                             : choices.between(1, most_places));
    elements *= sizes.back();
  }
  if (elements > most_elements) return std::nullopt;
  std::vector<Argument> arguments(op.schema.parameters.size());
  const auto argument = [&](arg name) -> Argument& {
    return arguments[static_cast<std::size_t>(op.schema.index_of(name))];
  };
  arguments.front() = *self;
  if (upsampling.smooth()) argument(arg::align_corners) = Scalar(choices.chance(50));
  if (!is_listed(op) || !by_scale) argument(arg::output_size) = sizes;
  if (by_scale && is_listed(op)) {
    argument(arg::scale_factors) = scales;
  } else if (by_scale) {
    for (int dim = 0; dim < upsampling.spatial; ++dim) {
      argument(scale_name(upsampling.spatial, dim)) = scales[static_cast<std::size_t>(dim)];
    }
  }
  return arguments;
}

template <const Upsampling& upsampling>
OpDef upsample(std::string_view schema) {
  return {.schema = schema,
          .infer = infer_upsample<upsampling>,
          .reference = reference_upsample<upsampling>,
          .sample = sample_upsample<upsampling>};
}

// The op's kernel where it reads the nearest texel; null for others.
const Upsampling* nearest_kernel(const Op& op) {
  static constexpr std::pair<ReferenceFn, const Upsampling*> kernels[] = {
      {reference_upsample<nearest_1d>, &nearest_1d},
      {reference_upsample<nearest_2d>, &nearest_2d},
      {reference_upsample<nearest_3d>, &nearest_3d},
      {reference_upsample<nearest_exact_1d>, &nearest_exact_1d},
      {reference_upsample<nearest_exact_2d>, &nearest_exact_2d},
  };
  for (const auto& [reference, upsampling] : kernels) {
    if (op.reference == reference) return upsampling;
  }
  return nullptr;
}

}  // namespace

bool gives_alternatives(const Op& op) { return nearest_kernel(op) != nullptr; }

Alternatives nearest_alternatives(const ReferenceCall& call) {
  const Upsampling* upsampling = nearest_kernel(call.op());
  const BallView& input = call.input(input_name(call));
  const BallView& output = call.output();
  const Result<Reads> reads = reads_of(call, *upsampling, math_of_weights(output, *upsampling, call.profile()));
  if (!reads) return {};
  const std::vector<int64_t> from = elements_of(input.layout);
  Alternatives alternatives;
  for_each_place(*reads, output, [&](int64_t element, int64_t first, const std::vector<Taps1d>& here) {
    if (here.size() != reads->dims.size()) return;
    std::vector<Ball> texels;
    bool decided = true;
    for_each_texel(here, reads->dims, [&](int64_t texel) {
      const int64_t at = from[static_cast<std::size_t>(first + texel)];
      // What is known of an integer within bounds is not what it is as an operand.
      decided = decided && (input.floating() ? input.ball(at).decided() : input.integer(at).decided());
      const Ball ball = input.as_ball(at);
      if (std::ranges::none_of(texels, [&](const Ball& other) { return is_same(ball, other); })) texels.push_back(ball);
    });
    if (decided && texels.size() > 1) alternatives.emplace(element, std::move(texels));
  });
  return alternatives;
}

std::vector<OpDef> upsample_family() {
  return {
      upsample<nearest_1d>("upsample_nearest1d(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor"),
      upsample<nearest_2d>(
          "upsample_nearest2d(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> "
          "Tensor"),
      upsample<nearest_3d>(
          "upsample_nearest3d(Tensor self, SymInt[3] output_size, float? scales_d=None, float? scales_h=None, float? "
          "scales_w=None) -> Tensor"),
      upsample<nearest_exact_1d>(
          "_upsample_nearest_exact1d(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor"),
      upsample<nearest_exact_2d>(
          "_upsample_nearest_exact2d(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) "
          "-> Tensor"),
      upsample<linear_1d>(
          "upsample_linear1d(Tensor self, SymInt[1] output_size, bool align_corners, float? scales=None) -> Tensor"),
      upsample<linear_2d>(
          "upsample_bilinear2d(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? "
          "scales_w=None) -> Tensor"),
      upsample<linear_3d>(
          "upsample_trilinear3d(Tensor self, SymInt[3] output_size, bool align_corners, float? scales_d=None, float? "
          "scales_h=None, float? scales_w=None) -> Tensor"),
      upsample<cubic_2d>(
          "upsample_bicubic2d(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? "
          "scales_w=None) -> Tensor"),

      upsample<nearest_1d>(
          "upsample_nearest1d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor"),
      upsample<nearest_2d>(
          "upsample_nearest2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor"),
      upsample<nearest_3d>(
          "upsample_nearest3d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor"),
      upsample<nearest_exact_1d>(
          "_upsample_nearest_exact1d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor"),
      upsample<nearest_exact_2d>(
          "_upsample_nearest_exact2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor"),
      upsample<linear_1d>(
          "upsample_linear1d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> "
          "Tensor"),
      upsample<linear_2d>(
          "upsample_bilinear2d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) "
          "-> Tensor"),
      upsample<linear_3d>(
          "upsample_trilinear3d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) "
          "-> Tensor"),
      upsample<cubic_2d>(
          "upsample_bicubic2d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> "
          "Tensor"),
  };
}

}  // namespace parallax
