// Pooling and resizing of pictures: [N, C, H, W], channels last.
#include <algorithm>
#include <array>

#include "backends/portable/elements.h"
#include "backends/xnnpack/definer.h"
#include "backends/xnnpack/generation.h"

namespace parallax::xnnpack {
namespace {

constexpr Range all;

// The windows of a pooling op, height first.
struct Windows {
  std::array<int64_t, 2> kernel, stride, padding, dilation;
};

// A list of one number stands for both dims.
std::array<int64_t, 2> pair(const IntList& list) { return {list.front(), list.back()}; }

Windows windows_of(const NodeCall& call) {
  const std::array<int64_t, 2> kernel = pair(call.integers(arg::kernel_size));
  const IntList& stride = call.integers(arg::stride);
  return {kernel, stride.empty() ? kernel : pair(stride), pair(call.integers(arg::padding)),
          call.takes(arg::dilation) ? pair(call.integers(arg::dilation)) : std::array<int64_t, 2>{1, 1}};
}

bool is_picture(const NodeCall& call) { return call.sizes(first_operand).size() == 4; }

// The library refuses windows of one element, and has none that reach beyond the padding, as ceil_mode makes them.
bool has_windows(const NodeCall& call, const Windows& windows) {
  if (!is_picture(call) || windows.kernel[0] * windows.kernel[1] == 1) return false;
  for (int dim = 0; dim < 2; ++dim) {
    const auto d = static_cast<std::size_t>(dim);
    const int64_t reach = windows.dilation[d] * (windows.kernel[d] - 1) + 1;
    const int64_t room = call.sizes(arg::self)[dim + 2] + 2 * windows.padding[d] - reach;
    if (room < 0 || call.result_sizes()[dim + 2] != room / windows.stride[d] + 1) return false;
  }
  return true;
}

uint32_t u32(int64_t x) { return static_cast<uint32_t>(x); }

bool averages(const NodeCall& call) {
  if (!has_windows(call, windows_of(call)) || call.has(arg::divisor_override)) return false;
  // The library counts the elements that are there.
  const bool is_padded = std::ranges::any_of(call.integers(arg::padding), [](int64_t padding) { return padding != 0; });
  return !is_padded || !call.boolean(arg::count_include_pad);
}

xnn_status average(Definer& definer, const NodeCall& call, const Windows& w) {
  const uint32_t x = definer.operand(call, arg::self);
  return xnn_define_average_pooling_2d(definer.subgraph(), u32(w.padding[0]), u32(w.padding[1]), u32(w.padding[0]),
                                       u32(w.padding[1]), u32(w.kernel[0]), u32(w.kernel[1]), u32(w.stride[0]),
                                       u32(w.stride[1]), all.low, all.high, x, definer.result(call), 0);
}

xnn_status average_pool(Definer& definer, const NodeCall& call) { return average(definer, call, windows_of(call)); }

// Where windows are as large as the picture divides into.
bool divides_evenly(const NodeCall& call) {
  if (!is_picture(call)) return false;
  const Dims& in = call.sizes(arg::self);
  const Dims& out = call.result_sizes();
  return in[2] % out[2] == 0 && in[3] % out[3] == 0 && (in[2] != out[2] || in[3] != out[3]);
}

xnn_status global_average(Definer& definer, const NodeCall& call) {
  const uint32_t x = definer.operand(call, arg::self);
  return xnn_define_global_average_pooling_2d(definer.subgraph(), all.low, all.high, x, definer.result(call), 0);
}

xnn_status adaptive_average(Definer& definer, const NodeCall& call) {
  const Dims& in = call.sizes(arg::self);
  const Dims& out = call.result_sizes();
  if (out[2] == 1 && out[3] == 1) return global_average(definer, call);
  const std::array<int64_t, 2> kernel = {in[2] / out[2], in[3] / out[3]};
  return average(definer, call, {kernel, kernel, {0, 0}, {1, 1}});
}

// The mean over height and width, which stay as dims of one.
bool is_mean_of_pictures(const NodeCall& call) {
  if (!is_picture(call) || !call.has(arg::dim) || !call.boolean(arg::keepdim)) return false;
  IntList dims = call.integers(arg::dim);
  for (int64_t& dim : dims) dim = portable::wrapped_dim(dim, 4);
  std::ranges::sort(dims);
  return dims == IntList{2, 3};
}

// For a tap outside the picture the library's dilated pooling, dilated in either dimension, reads the window's tap
// number padding / dilation or, where that lies before the picture, the next one. It does not look whether that tap is
// in the picture, or one of the window at all: input 2, kernel 2, padding 1, dilation 3 reads behind the picture, and
// so does kernel 2, padding 1, dilation 1 where the other dimension is dilated.
bool fills_from_inside(const Windows& windows, std::size_t d, int64_t in, int64_t out) {
  const int64_t dilation = windows.dilation[d];
  for (int64_t y = 0; y < out; ++y) {
    const int64_t first = y * windows.stride[d] - windows.padding[d];
    if (first >= 0 && first + (windows.kernel[d] - 1) * dilation < in) continue;
    int64_t tap = windows.padding[d] / dilation;
    if (first + tap * dilation < 0) ++tap;
    if (tap >= windows.kernel[d] || first + tap * dilation >= in) return false;
  }
  return true;
}

bool takes_maxima(const NodeCall& call) {
  const Windows windows = windows_of(call);
  if (!has_windows(call, windows)) return false;
  // The newer library refuses windows with gaps between them.
  if (is_newer && (windows.stride[0] > windows.kernel[0] || windows.stride[1] > windows.kernel[1])) return false;
  if (windows.dilation[0] == 1 && windows.dilation[1] == 1) return true;
  for (std::size_t d = 0; d < 2; ++d) {
    const int dim = static_cast<int>(d) + 2;
    if (!fills_from_inside(windows, d, call.sizes(arg::self)[dim], call.result_sizes()[dim])) return false;
  }
  return true;
}

xnn_status max_pool(Definer& definer, const NodeCall& call) {
  const Windows w = windows_of(call);
  const uint32_t x = definer.operand(call, arg::self);
  return xnn_define_max_pooling_2d(definer.subgraph(), u32(w.padding[0]), u32(w.padding[1]), u32(w.padding[0]),
                                   u32(w.padding[1]), u32(w.kernel[0]), u32(w.kernel[1]), u32(w.stride[0]),
                                   u32(w.stride[1]), u32(w.dilation[0]), u32(w.dilation[1]), all.low, all.high, x,
                                   definer.result(call), 0);
}

// The library goes by the sizes alone: a scale must say the same.
bool is_scale(const NodeCall& call, int dim, const Scalar& scale) {
  return static_cast<double>(call.sizes(first_operand)[dim]) * as_double(scale) ==
         static_cast<double>(call.result_sizes()[dim]);
}

// Where a place of the result falls on an element of the picture, as it does exactly in eager, the library's own sum
// must say so too: dst * scale + (scale / 2 - 1/2), in f32.
bool lands_on_elements(int64_t in, int64_t out, bool align_corners) {
  const int64_t ends = align_corners && out != 1 ? 1 : 0;
  const float scale = static_cast<float>(in - ends) / static_cast<float>(out - ends);
  const float offset = align_corners ? 0 : 0.5F * scale - 0.5F;
  for (int64_t y = 0; y < out; ++y) {
    const int64_t numerator = align_corners ? y * (in - ends) : (2 * y + 1) * in - out;
    const int64_t denominator = align_corners ? out - ends : 2 * out;
    if (numerator % denominator != 0) continue;
    const auto exact = static_cast<float>(std::clamp<int64_t>(numerator / denominator, 0, in - 1));
    const float at = static_cast<float>(y) * scale + offset;
    if (std::clamp(at, 0.0F, static_cast<float>(in - 1)) != exact) return false;
  }
  return true;
}

bool has_exact_places(const NodeCall& call) {
  for (int dim : {2, 3}) {
    if (!lands_on_elements(call.sizes(first_operand)[dim], call.result_sizes()[dim], call.boolean(arg::align_corners)))
      return false;
  }
  return true;
}

bool resizes(const NodeCall& call) {
  return is_picture(call) && has_exact_places(call) &&
         (!call.has(arg::scales_h) || is_scale(call, 2, call.scalar(arg::scales_h))) &&
         (!call.has(arg::scales_w) || is_scale(call, 3, call.scalar(arg::scales_w)));
}

bool resizes_by_list(const NodeCall& call) {
  if (!is_picture(call) || !has_exact_places(call)) return false;
  if (!call.has(arg::scale_factors)) return true;
  const auto* scales = std::get_if<ScalarList>(&call.argument(arg::scale_factors));
  return scales && scales->size() == 2 && is_scale(call, 2, scales->front()) && is_scale(call, 3, scales->back());
}

xnn_status resize(Definer& definer, const NodeCall& call) {
  const uint32_t x = definer.operand(call, first_operand);
  const Dims& sizes = call.result_sizes();
  return xnn_define_static_resize_bilinear_2d(definer.subgraph(), static_cast<std::size_t>(sizes[2]),
                                              static_cast<std::size_t>(sizes[3]), x, definer.result(call),
                                              call.boolean(arg::align_corners) ? XNN_FLAG_ALIGN_CORNERS : 0);
}

constexpr std::array picture_table = {
    OpRow{"aten.avg_pool2d.default", averages, average_pool, Order::ChannelsLast},
    OpRow{"aten._adaptive_avg_pool2d.default", divides_evenly, adaptive_average, Order::ChannelsLast},
    OpRow{"aten.mean.dim", is_mean_of_pictures, global_average, Order::ChannelsLast},
    OpRow{"aten.max_pool2d_with_indices.default", takes_maxima, max_pool, Order::ChannelsLast},
    OpRow{"aten.upsample_bilinear2d.default", resizes, resize, Order::ChannelsLast},
    OpRow{"aten.upsample_bilinear2d.vec", resizes_by_list, resize, Order::ChannelsLast},
};

}  // namespace

std::span<const OpRow> picture_rows() { return picture_table; }

}  // namespace parallax::xnnpack
