// The shape of a convolution: what its arguments say, the sizes that come out, and which elements meet in each.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "ops/op.h"

namespace parallax {

// What an overload is for: convNd and conv_transposeNd say it by their schemas, convolution by its arguments.
//
// The number of spatial dims; 0 where it is as many as the weight says, and the input has a batch dim.
int spatial_dims(const Schema& schema);
// Whether it transposes; nothing where a `transposed` argument says so.
std::optional<bool> transposes(const Schema& schema);

struct ConvolutionPlan {
  Layout input;   // with a batch dim, [N, C, ...]
  Layout weight;  // [O, C / groups, ...], transposed [C, O / groups, ...]
  bool unbatched = false;
  bool transposed = false;
  int64_t groups = 1;
  Dims stride;
  Dims padding;
  Dims dilation;
  Dims sizes;  // of the result, with a batch dim

  int spatial() const { return input.rank() - 2; }
  int64_t out_channels() const { return transposed ? weight.sizes[1] * groups : weight.sizes[0]; }
  // Of one filter; there must be a weight.
  int64_t kernel_positions() const { return weight.numel() / (weight.sizes[0] * weight.sizes[1]); }
};

// The plan of a call, or what eager refuses.
Result<ConvolutionPlan> plan_convolution(const Call& call);

// The layout that eager gives the result. That of five dims in f32 depends on the library that eager picks, and so on
// the number of threads; it is taken to be oneDNN where there are several batches or groups.
Layout convolved_layout(const ConvolutionPlan& plan, DType dtype);

// Which positions of the input and of the kernel meet in one position of the result, as row-major indices over the
// spatial dims.
struct Taps {
  std::vector<std::pair<int64_t, int64_t>> met;  // input, kernel
  std::vector<int64_t> missed;                   // kernel positions that meet padding, or nothing at all
};

// For each position of the result in row-major order.
std::vector<Taps> taps_of(const ConvolutionPlan& plan);

}  // namespace parallax
