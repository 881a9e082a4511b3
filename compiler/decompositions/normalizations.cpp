// Softmax and its kin; layer, group and RMS normalisation, and their gradients.
#include <array>
#include <limits>

#include "compiler/decomposition.h"
#include "compiler/decompositions/moments.h"
#include "core/limits.h"

namespace parallax {
namespace {

// The elements less the largest along the dim, so that nothing overflows.
Term lowered(Term x, const IntList& dims) { return x - largest(x, dims); }

Terms softmax(Composer& c) {
  const Term exponential = apply("exp", lowered(c.operand(arg::self), {c.integer(arg::dim)}));
  return {exponential / total(exponential, {c.integer(arg::dim)})};
}

Terms log_softmax(Composer& c) {
  const Term x = lowered(c.operand(arg::self), {c.integer(arg::dim)});
  return {x - apply("log", total(apply("exp", x), {c.integer(arg::dim)}))};
}

// An empty tensor has no largest element.
template <Terms (*parts)(Composer&)>
Terms unless_empty(Composer& c) {
  if (c.result().layout.numel() > 0) return parts(c);
  return {c.full(c.result().layout.sizes, 0, c.result().dtype)};
}

// Where the largest is infinite, it is not taken off: inf - inf would be NaN.
Terms logsumexp(Composer& c) {
  const Term x = c.operand(arg::self);
  const IntList dims = c.integers(arg::dim).empty() ? dims_from(0, c.sizes(x).size()) : c.integers(arg::dim);
  if (c.sizes(x).empty()) return {x};
  // The sum of nothing is 0.
  if (c.meta(x).layout.numel() == 0) return {c.full(c.result().layout.sizes, -infinity, c.result().dtype)};
  const Term most = largest(x, dims);
  const Term finite = choose(equal(apply("abs", most), infinity), apply("zeros_like", most), most);
  const Term sum = apply("log", total(apply("exp", x - finite), dims)) + finite;
  return {viewed(sum, c.result().layout.sizes)};
}

// The normalised elements, the mean and the inverse deviation of each lane.
struct Normalized {
  Term x;
  Term mean;
  Term inverse;
};

Normalized normalized(Term x, const IntList& dims, double eps) {
  const Moments moments = moments_of(x, dims);
  const Term inverse = inverse_deviation(moments.squares / static_cast<double>(moments.count), eps);
  return {moments.deviation * inverse, moments.mean, inverse};
}

// The results that the call has: the native overloads hand the moments on.
Terms with_moments(Composer& c, Term x, const Normalized& lane) {
  if (c.result_count() == 1) return {x};
  return {x, viewed(lane.mean, c.result(1).layout.sizes), viewed(lane.inverse, c.result(2).layout.sizes)};
}

Terms layer_norm(Composer& c) {
  const Term x = c.operand(arg::input);
  const Dims shape(c.integers(arg::normalized_shape));
  const Normalized lane =
      normalized(x, dims_from(c.sizes(x).size() - shape.size(), c.sizes(x).size()), c.real(arg::eps));
  return with_moments(c, scaled_and_shifted(lane.x, shape), lane);
}

Terms rms_norm(Composer& c) {
  const Term x = c.operand(arg::input);
  const Dims shape(c.integers(arg::normalized_shape));
  const IntList dims = dims_from(c.sizes(x).size() - shape.size(), c.sizes(x).size());
  const double own_eps = c.computed_in() == DType::F64 ? std::numeric_limits<double>::epsilon()
                                                       : static_cast<double>(std::numeric_limits<float>::epsilon());
  const Term mean = total(x * x, dims) / static_cast<double>(lane_length(c.sizes(x), dims));
  return {scaled_and_shifted(x * inverse_deviation(mean, c.has(arg::eps) ? c.real(arg::eps) : own_eps), shape)};
}

struct Groups {
  int64_t batch;
  int64_t channels;
  int64_t inner;
  int64_t groups;
};

// A group is a stretch of the elements in order, and a channel a stretch of a group.
Terms in_groups(Composer& c, const Groups& shape) {
  const Term x = c.operand(arg::input);
  const Dims sizes = c.sizes(x);
  const int64_t length = shape.channels / shape.groups * shape.inner;
  const Normalized lane = normalized(viewed(x, {shape.batch, shape.groups, length}), {2}, c.real(arg::eps));
  const Term channels = viewed(lane.x, {shape.batch, shape.channels, shape.inner});
  return with_moments(c, viewed(scaled_and_shifted(channels, {shape.channels, 1}), sizes), lane);
}

Terms native_group_norm(Composer& c) {
  return in_groups(c, {c.integer(arg::N), c.integer(arg::C), c.integer(arg::HxW), c.integer(arg::group)});
}

Terms group_norm(Composer& c) {
  const Dims sizes = c.meta(c.raw(arg::input)).layout.sizes;
  const int64_t inner = lane_length(sizes, dims_from(2, sizes.size()));
  return in_groups(c, {sizes[0], sizes[1], inner, c.integer(arg::num_groups)});
}

// Of elements [batch, groups, channels, inner], where each group has a mean and each channel of a group a weight.
Terms gradients(Composer& c, const Dims& shape) {
  const auto in_groups = [&](arg name) { return viewed(c.operand(name), shape); };
  const auto of_groups = [&](arg name) { return viewed(c.operand(name), {shape[0], shape[1], 1, 1}); };
  const Term x = (in_groups(arg::input) - of_groups(arg::mean)) * of_groups(arg::rstd);
  const Term gradient = in_groups(arg::grad_out);
  const Term scaled = gradient * viewed(c.operand(arg::weight), {1, shape[1], shape[2], 1});
  const auto count = static_cast<double>(shape[2] * shape[3]);
  const auto mean = [&](Term term) { return total(term, {2, 3}) / count; };
  const Term of_input = (scaled - mean(scaled) - x * mean(scaled * x)) * of_groups(arg::rstd);
  const auto of_parameter = [&](Term term, std::size_t result) {
    return viewed(total(term, {0, 3}, false), c.result(result).layout.sizes);
  };
  return {viewed(of_input, c.result().layout.sizes), of_parameter(gradient * x, 1), of_parameter(gradient, 2)};
}

Terms layer_norm_gradients(Composer& c) {
  const int64_t length = c.result(1).layout.numel();
  return gradients(c, {c.result().layout.numel() / length, 1, length, 1});
}

Terms group_norm_gradients(Composer& c) {
  const int64_t groups = c.integer(arg::group);
  return gradients(c, {c.integer(arg::N), groups, c.integer(arg::C) / groups, c.integer(arg::HxW)});
}

constexpr std::array normalization_rows = {
    Decomposition{"aten._softmax.default", unless_empty<softmax>},
    Decomposition{"aten.softmax.int", unless_empty<softmax>},
    Decomposition{"aten.special_softmax.default", unless_empty<softmax>},
    Decomposition{"aten._log_softmax.default", unless_empty<log_softmax>},
    Decomposition{"aten.log_softmax.int", unless_empty<log_softmax>},
    Decomposition{"aten.special_log_softmax.default", unless_empty<log_softmax>},
    Decomposition{"aten.logsumexp.default", logsumexp},
    Decomposition{"aten.native_layer_norm.default", layer_norm},
    Decomposition{"aten.layer_norm.default", layer_norm},
    Decomposition{"aten.rms_norm.default", rms_norm},
    Decomposition{"aten.native_group_norm.default", native_group_norm},
    Decomposition{"aten.group_norm.default", group_norm},
    Decomposition{"aten.native_layer_norm_backward.default", layer_norm_gradients},
    Decomposition{"aten.native_group_norm_backward.default", group_norm_gradients},
};

}  // namespace

DecompositionTable::Rows normalization_decompositions() { return normalization_rows; }

}  // namespace parallax
